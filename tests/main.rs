//! Tests of gpurepl from outside.
//!
//! | module | what it tests |
//! |---|---|
//! | `engine` | cells: what they keep, what they show, what they say |

mod engine;
