//! Methods of the standard library that cells use every day, for as long as
//! the analyser, which knows all of them, is not there. A test calls each of
//! them in a cell.

use super::CandidateKind as Kind;

/// A method of the standard library.
#[derive(Clone, Copy, Debug)]
pub(super) struct Method {
    pub(super) name: &'static str,
    /// `fn push(&mut self, value: T)`
    pub(super) signature: &'static str,
    pub(super) doc: &'static str,
}

/// Types, and for each line of theirs a signature and what the method does.
const TABLE: &[(&str, &str)] = &[
    (
        "Vec",
        "push(&mut self, value: T) // adds an element at the end
         pop(&mut self) -> Option<T> // takes the last element
         insert(&mut self, index: usize, element: T) // puts an element in between
         remove(&mut self, index: usize) -> T // takes an element out
         clear(&mut self) // removes all elements
         truncate(&mut self, len: usize) // keeps the first elements
         resize(&mut self, new_len: usize, value: T) // makes it longer or shorter
         extend<I: IntoIterator<Item = T>>(&mut self, iter: I) // adds all elements of an iterator
         append(&mut self, other: &mut Vec<T>) // moves all elements of another vector here
         retain<F: FnMut(&T) -> bool>(&mut self, f: F) // keeps the elements that pass a test
         drain<R: RangeBounds<usize>>(&mut self, range: R) -> Drain<T> // takes a range of elements out
         dedup(&mut self) // removes repeated neighbours
         capacity(&self) -> usize // elements that there is room for
         reserve(&mut self, additional: usize) // makes room for more elements
         into_iter(self) -> IntoIter<T> // an iterator that takes the elements
         as_slice(&self) -> &[T] // all elements as a slice",
    ),
    (
        "[]",
        "len(&self) -> usize // the number of elements
         is_empty(&self) -> bool // whether there are no elements
         iter(&self) -> Iter<T> // an iterator over references to the elements
         iter_mut(&mut self) -> IterMut<T> // an iterator over the elements, to change them
         first(&self) -> Option<&T> // the first element
         last(&self) -> Option<&T> // the last element
         get(&self, index: usize) -> Option<&T> // an element, if there is one
         contains(&self, x: &T) -> bool // whether an element equals a value
         sort(&mut self) // sorts the elements; for floats see sort_by
         sort_by<F: FnMut(&T, &T) -> Ordering>(&mut self, compare: F) // sorts by a comparison
         sort_by_key<K: Ord, F: FnMut(&T) -> K>(&mut self, f: F) // sorts by a key
         reverse(&mut self) // turns the order round
         swap(&mut self, a: usize, b: usize) // exchanges two elements
         chunks(&self, chunk_size: usize) -> Chunks<T> // pieces of a length
         windows(&self, size: usize) -> Windows<T> // overlapping pieces of a length
         to_vec(&self) -> Vec<T> // a vector of copies
         fill(&mut self, value: T) // sets every element
         starts_with(&self, needle: &[T]) -> bool // whether it begins with other elements
         split_at(&self, mid: usize) -> (&[T], &[T]) // two parts
         copy_from_slice(&mut self, src: &[T]) // copies elements of as long a slice",
    ),
    (
        "String",
        "push_str(&mut self, string: &str) // adds a text at the end
         push(&mut self, ch: char) // adds a character at the end
         pop(&mut self) -> Option<char> // takes the last character
         clear(&mut self) // removes everything
         insert_str(&mut self, idx: usize, string: &str) // puts a text in between
         truncate(&mut self, new_len: usize) // keeps the first bytes
         as_str(&self) -> &str // the text as a slice
         into_bytes(self) -> Vec<u8> // the bytes",
    ),
    (
        "str",
        "len(&self) -> usize // the number of bytes
         is_empty(&self) -> bool // whether there is no text
         chars(&self) -> Chars // its characters
         bytes(&self) -> Bytes // its bytes
         lines(&self) -> Lines // its lines
         split(&self, pat: &str) -> Split // the parts between separators
         split_whitespace(&self) -> SplitWhitespace // its words
         split_once(&self, delimiter: &str) -> Option<(&str, &str)> // what is before and after a separator
         trim(&self) -> &str // without white space at both ends
         contains(&self, pat: &str) -> bool // whether a text is in it
         starts_with(&self, pat: &str) -> bool // whether it begins with a text
         ends_with(&self, pat: &str) -> bool // whether it ends with a text
         find(&self, pat: &str) -> Option<usize> // the byte where a text begins
         replace(&self, from: &str, to: &str) -> String // with a text in place of another
         to_string(&self) -> String // a text of its own
         to_owned(&self) -> String // a text of its own
         to_uppercase(&self) -> String // in capital letters
         to_lowercase(&self) -> String // in small letters
         repeat(&self, n: usize) -> String // several times
         parse<F: FromStr>(&self) -> Result<F, F::Err> // a value read from the text
         as_bytes(&self) -> &[u8] // its bytes as a slice",
    ),
    (
        "Option",
        "is_some(&self) -> bool // whether there is a value
         is_none(&self) -> bool // whether there is none
         unwrap(self) -> T // the value; panics if there is none
         expect(self, msg: &str) -> T // the value; panics with a message if there is none
         unwrap_or(self, default: T) -> T // the value, or another
         unwrap_or_default(self) -> T // the value, or its type's default
         unwrap_or_else<F: FnOnce() -> T>(self, f: F) -> T // the value, or what a function gives
         map<U, F: FnOnce(T) -> U>(self, f: F) -> Option<U> // with a function applied to the value
         and_then<U, F: FnOnce(T) -> Option<U>>(self, f: F) -> Option<U> // what a function makes of the value
         ok_or<E>(self, err: E) -> Result<T, E> // the value, or an error
         as_ref(&self) -> Option<&T> // a reference to the value
         take(&mut self) -> Option<T> // the value; leaves none
         filter<P: FnOnce(&T) -> bool>(self, predicate: P) -> Option<T> // the value if it passes a test",
    ),
    (
        "Result",
        "is_ok(&self) -> bool // whether it is a value
         is_err(&self) -> bool // whether it is an error
         unwrap(self) -> T // the value; panics with the error
         expect(self, msg: &str) -> T // the value; panics with a message and the error
         unwrap_err(self) -> E // the error; panics with the value
         unwrap_or(self, default: T) -> T // the value, or another
         unwrap_or_default(self) -> T // the value, or its type's default
         ok(self) -> Option<T> // the value, if it is one
         err(self) -> Option<E> // the error, if it is one
         map<U, F: FnOnce(T) -> U>(self, op: F) -> Result<U, E> // with a function applied to the value
         map_err<F, O: FnOnce(E) -> F>(self, op: O) -> Result<T, F> // with a function applied to the error",
    ),
    (
        "HashMap",
        "insert(&mut self, k: K, v: V) -> Option<V> // puts a value under a key
         get(&self, k: &K) -> Option<&V> // the value under a key
         get_mut(&mut self, k: &K) -> Option<&mut V> // the value under a key, to change it
         contains_key(&self, k: &K) -> bool // whether there is a value under a key
         remove(&mut self, k: &K) -> Option<V> // takes the value under a key
         entry(&mut self, key: K) -> Entry<K, V> // the place of a key, to look or to fill
         keys(&self) -> Keys<K, V> // all keys
         values(&self) -> Values<K, V> // all values
         iter(&self) -> Iter<K, V> // all keys and values
         len(&self) -> usize // the number of keys
         is_empty(&self) -> bool // whether there are none
         clear(&mut self) // removes all",
    ),
    (
        "float",
        "abs(self) -> Self // the absolute value
         sqrt(self) -> Self // the square root
         powi(self, n: i32) -> Self // to the power of an integer
         powf(self, n: Self) -> Self // to the power of a float
         exp(self) -> Self // e to its power
         ln(self) -> Self // the natural logarithm
         log10(self) -> Self // the decimal logarithm
         log2(self) -> Self // the logarithm to base 2
         sin(self) -> Self // the sine of radians
         cos(self) -> Self // the cosine of radians
         tan(self) -> Self // the tangent of radians
         atan2(self, other: Self) -> Self // the angle of a point: y.atan2(x)
         tanh(self) -> Self // the hyperbolic tangent
         floor(self) -> Self // rounded down
         ceil(self) -> Self // rounded up
         round(self) -> Self // rounded, halves away from zero
         trunc(self) -> Self // rounded towards zero
         fract(self) -> Self // what is behind the point
         min(self, other: Self) -> Self // the smaller of two
         max(self, other: Self) -> Self // the larger of two
         clamp(self, min: Self, max: Self) -> Self // held between two
         mul_add(self, a: Self, b: Self) -> Self // self * a + b, rounded once
         is_nan(self) -> bool // whether it is no number
         is_finite(self) -> bool // whether it is neither infinite nor NaN
         to_bits(self) -> u64 // its bits
         to_radians(self) -> Self // degrees to radians
         total_cmp(&self, other: &Self) -> Ordering // the order of all floats, NaN as well",
    ),
    (
        "integer",
        "pow(self, exp: u32) -> Self // to the power of an integer
         min(self, other: Self) -> Self // the smaller of two
         max(self, other: Self) -> Self // the larger of two
         clamp(self, min: Self, max: Self) -> Self // held between two
         abs_diff(self, other: Self) -> Self // the distance
         checked_add(self, rhs: Self) -> Option<Self> // the sum, if it can be held
         wrapping_add(self, rhs: Self) -> Self // the sum, without what does not fit
         saturating_sub(self, rhs: Self) -> Self // the difference, held within the type
         rem_euclid(self, rhs: Self) -> Self // the remainder, never negative
         div_ceil(self, rhs: Self) -> Self // the quotient, rounded up; of unsigned numbers
         count_ones(self) -> u32 // the bits that are set
         leading_zeros(self) -> u32 // the bits before the first that is set
         is_power_of_two(self) -> bool // whether it is a power of two; of unsigned numbers",
    ),
    (
        "Iterator",
        "next(&mut self) -> Option<Self::Item> // the next element
         map<B, F: FnMut(Self::Item) -> B>(self, f: F) -> Map<Self, F> // with a function applied to each
         filter<P: FnMut(&Self::Item) -> bool>(self, predicate: P) -> Filter<Self, P> // those that pass a test
         enumerate(self) -> Enumerate<Self> // each with its number
         zip<U: IntoIterator>(self, other: U) -> Zip<Self, U::IntoIter> // pairs with another iterator
         collect<B: FromIterator<Self::Item>>(self) -> B // all in a collection
         sum<S: Sum<Self::Item>>(self) -> S // the sum
         product<P: Product<Self::Item>>(self) -> P // the product
         count(self) -> usize // how many there are
         fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, f: F) -> B // all put together by a function
         any<F: FnMut(Self::Item) -> bool>(&mut self, f: F) -> bool // whether one passes a test
         all<F: FnMut(Self::Item) -> bool>(&mut self, f: F) -> bool // whether all pass a test
         min(self) -> Option<Self::Item> // the smallest
         max(self) -> Option<Self::Item> // the largest
         rev(self) -> Rev<Self> // from the end
         take(self, n: usize) -> Take<Self> // the first few
         skip(self, n: usize) -> Skip<Self> // without the first few
         step_by(self, step: usize) -> StepBy<Self> // each so many
         chain<U: IntoIterator>(self, other: U) -> Chain<Self, U::IntoIter> // another one after it
         cloned(self) -> Cloned<Self> // copies of what is referred to
         last(self) -> Option<Self::Item> // the last one
         for_each<F: FnMut(Self::Item)>(self, f: F) // a function called with each",
    ),
];

/// What is there without a path, besides the prelude.
pub(super) const TOP: &[(&str, Kind, &str)] = &[
    ("Vec", Kind::Struct, "a growable list"),
    ("String", Kind::Struct, "a growable string"),
    ("Option", Kind::Enum, "a value, or none"),
    ("Some", Kind::Variant, "a value"),
    ("None", Kind::Variant, "no value"),
    ("Ok", Kind::Variant, "a result that is a value"),
    ("Err", Kind::Variant, "a result that is an error"),
    ("Box", Kind::Struct, "a value on the heap"),
    ("std", Kind::Module, "the standard library"),
];

/// The types that values of a type can be used as.
fn owners(of: &str) -> &'static [&'static str] {
    match of {
        "Vec" => &["Vec", "[]"],
        "[]" => &["[]"],
        "String" => &["String", "str"],
        "str" => &["str"],
        "Option" => &["Option"],
        "Result" => &["Result"],
        "HashMap" | "BTreeMap" => &["HashMap"],
        "f32" | "f64" => &["float"],
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => {
            &["integer"]
        }
        "Iter" | "IterMut" | "IntoIter" | "Map" | "Filter" | "Enumerate" | "Zip" | "Rev" | "Take"
        | "Skip" | "StepBy" | "Chain" | "Cloned" | "Chars" | "Bytes" | "Lines" | "Split"
        | "SplitWhitespace" | "Chunks" | "Windows" | "Keys" | "Values" | "Drain" | "Range"
        | "RangeInclusive" | "Iterator" => &["Iterator"],
        _ => &[],
    }
}

/// The methods of a type, by its name alone: `Vec`, `[]` for slices, `f32`.
pub(super) fn methods(of: &str) -> impl Iterator<Item = Method> + use<> {
    let owners = owners(of);
    TABLE.iter().filter(|(owner, _)| owners.contains(owner)).flat_map(|&(_, lines)| {
        lines.lines().filter_map(move |line| {
            let (signature, doc) = line.trim().split_once(" // ")?;
            let name = signature.split(['(', '<']).next()?;
            Some(Method { name, signature, doc })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_method() {
        for (owner, lines) in TABLE {
            for line in lines.lines() {
                let (signature, doc) =
                    line.trim().split_once(" // ").unwrap_or_else(|| panic!("{owner}: {line}"));
                let function = format!("trait A {{ fn {signature}; }}");
                syn::parse_str::<syn::ItemTrait>(&function)
                    .unwrap_or_else(|error| panic!("{signature}: {error}"));
                assert!(!doc.is_empty());
            }
        }
        assert!(methods("Vec").any(|method| method.name == "push"));
        assert!(methods("Vec").any(|method| method.name == "iter"));
        assert_eq!(methods("GpuArray").count(), 0);
    }
}
