//! Answers that need no cell.
//!
//! | module | to what |
//! |---|---|
//! | [`information`] | what kernel this is |
//! | [`complete`], [`inspect`] | how a word goes on, what a name is |
//! | [`completeness`] | whether a text is a whole cell |
//! | [`usage`] | processor and memory, the device's too |

pub mod complete;
pub mod completeness;
pub mod information;
pub mod inspect;
pub mod usage;

/// The byte at which a character stands.
fn byte_at(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

/// How many characters stand before a byte.
fn character_at(text: &str, byte: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < byte).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters() {
        let text = "größe.π";
        assert_eq!(byte_at(text, 0), 0);
        assert_eq!(byte_at(text, 5), 7);
        assert_eq!(byte_at(text, 99), text.len());
        assert_eq!(character_at(text, 7), 5);
        assert_eq!(character_at(text, text.len()), 7);
    }
}
