//! What is implemented for tuples of every length.

/// Calls a macro with the tuples of up to so many parts, a name and a place for
/// each part: `(A 0) (A 0, B 1)`, and so on.
#[doc(hidden)]
#[macro_export]
macro_rules! for_tuples {
    (up to 8, $callback:ident) => {
        $crate::for_tuples! { @ $callback [] [] A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 }
    };
    (up to 16, $callback:ident) => {
        $crate::for_tuples! {
            @ $callback [] [] A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15
        }
    };
    (@ $callback:ident [$($tuples:tt)*] [$($parts:tt)*]) => {
        $callback! { $($tuples)* }
    };
    (@ $callback:ident [$($tuples:tt)*] [$($parts:tt)*] $name:ident $place:tt $($rest:tt)*) => {
        $crate::for_tuples! {
            @ $callback [$($tuples)* ($($parts)* $name $place)] [$($parts)* $name $place,] $($rest)*
        }
    };
}
