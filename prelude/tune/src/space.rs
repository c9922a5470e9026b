//! The space that a tuner searches: parameters with their values, and which
//! combinations are allowed.

use std::fmt;
use std::ops::Index;
use std::sync::Arc;

use gpurepl_arrays::kernel::{KernelValue, KernelValues};

/// Spaces up to this size are listed, so that a search knows what is left.
pub const LISTED: u64 = 1 << 20;

/// One combination of values, a value for each parameter.
///
/// `v["block"]` is a value that is a whole number of at least zero, which is what sizes of launches
/// are made of; [`int`](Configuration::int), [`number`](Configuration::number), [`flag`](Configuration::flag) and
/// [`text`](Configuration::text) are the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    pairs: Vec<Pair>,
}

#[derive(Clone, Debug, PartialEq)]
struct Pair {
    name: Arc<str>,
    value: KernelValue,
    size: Option<usize>,
}

impl Configuration {
    fn pair(&self, name: &str) -> &Pair {
        let found = self.pairs.iter().find(|pair| &*pair.name == name);
        found.unwrap_or_else(|| {
            let known: Vec<String> = self.pairs.iter().map(|pair| format!("`{}`", pair.name)).collect();
            panic!("there is no parameter `{name}`; there are {}", known.join(", "))
        })
    }

    /// A value that is a whole number.
    ///
    /// # Panics
    ///
    /// If there is no such parameter, or its value is of another kind.
    pub fn int(&self, name: &str) -> i64 {
        match self.pair(name).value {
            KernelValue::Int(value) => value,
            KernelValue::Bool(value) => i64::from(value),
            ref other => panic!("`{name}` is {other}, which is not a whole number of 64 bits"),
        }
    }

    /// A value that is a number, with a fraction or not.
    ///
    /// # Panics
    ///
    /// As [`Configuration::int`].
    pub fn number(&self, name: &str) -> f64 {
        match self.pair(name).value {
            KernelValue::Float(value) => value,
            KernelValue::UInt(value) => value as f64,
            _ => self.int(name) as f64,
        }
    }

    /// A value that is `true` or `false`.
    ///
    /// # Panics
    ///
    /// As [`Configuration::int`].
    pub fn flag(&self, name: &str) -> bool {
        match self.pair(name).value {
            KernelValue::Bool(value) => value,
            _ => self.int(name) != 0,
        }
    }

    /// A value as a text has it.
    ///
    /// # Panics
    ///
    /// If there is no such parameter.
    pub fn text(&self, name: &str) -> String {
        self.pair(name).value.to_string()
    }

    /// Names and values as texts, to be found again.
    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        self.pairs.iter().map(|pair| (pair.name.to_string(), pair.value.to_string())).collect()
    }

    /// All values by their names, for a template.
    pub fn values(&self) -> KernelValues {
        let mut values = KernelValues::new();
        for pair in &self.pairs {
            values.set(&pair.name, &pair.value);
        }
        values
    }
}

impl Index<&str> for Configuration {
    type Output = usize;

    /// # Panics
    ///
    /// If there is no such parameter, or its value is not a whole number of at least zero.
    fn index(&self, name: &str) -> &usize {
        let pair = self.pair(name);
        pair.size.as_ref().unwrap_or_else(|| {
            panic!("`{name}` is {}, which is not a size; `v.text(\"{name}\")` is its text, and there are `int`, `number` and `flag`", pair.value)
        })
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pairs.is_empty() {
            return f.write_str("no parameters");
        }
        fmt::Display::fmt(&self.values(), f)
    }
}

type Restriction = Box<dyn Fn(&Configuration) -> bool>;

/// A parameter and its values.
struct Parameter {
    name: Arc<str>,
    values: Vec<KernelValue>,
}

/// All combinations of the values of parameters, of which restrictions allow some. A combination is
/// known by its number: the first parameter's value changes fastest.
#[derive(Default)]
pub struct Space {
    parameters: Vec<Parameter>,
    restrictions: Vec<Restriction>,
}

impl Space {
    pub fn add(&mut self, name: &str, values: Vec<KernelValue>) {
        self.parameters.push(Parameter { name: name.into(), values });
    }

    pub fn restrict(&mut self, restriction: Restriction) {
        self.restrictions.push(restriction);
    }

    /// The names of the parameters, and their values.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &[KernelValue])> {
        self.parameters.iter().map(|parameter| (&*parameter.name, &parameter.values[..]))
    }

    /// The names of the parameters, and the texts of their values.
    pub fn names(&self) -> Vec<(String, Vec<String>)> {
        let texts = |values: &[KernelValue]| values.iter().map(ToString::to_string).collect();
        self.parameters().map(|(name, values)| (name.to_owned(), texts(values))).collect()
    }

    /// How many combinations there are, allowed or not; none if a `u64` cannot hold it.
    pub fn size(&self) -> Option<u64> {
        self.parameters
            .iter()
            .try_fold(1_u64, |size, parameter| size.checked_mul(parameter.values.len() as u64))
    }

    /// The combinations that are allowed, in their order; none if the space is too large to be listed.
    pub fn listed(&self) -> Option<Vec<u64>> {
        let size = self.size().filter(|size| *size <= LISTED)?;
        Some((0..size).filter(|number| self.allows(*number)).collect())
    }

    /// The first combination that is allowed, if there is one among those that would be listed.
    pub fn first(&self) -> Option<u64> {
        (0..self.size().unwrap_or(u64::MAX).min(LISTED)).find(|number| self.allows(*number))
    }

    /// The parameters and their values as a text, to tell spaces from one another.
    pub fn text(&self) -> String {
        let line = |(name, values): (String, Vec<String>)| format!("{name}={}\n", values.join(","));
        self.names().into_iter().map(line).collect()
    }

    /// Which value each parameter has in a combination.
    pub fn choices(&self, mut number: u64) -> Vec<usize> {
        let digit = |parameter: &Parameter| {
            let count = parameter.values.len() as u64;
            let digit = number % count;
            number /= count;
            digit as usize
        };
        self.parameters.iter().map(digit).collect()
    }

    /// The combination in which each parameter has such a value.
    pub fn number(&self, choices: &[usize]) -> u64 {
        let all = self.parameters.iter().zip(choices).rev();
        all.fold(0, |number, (parameter, choice)| number * parameter.values.len() as u64 + *choice as u64)
    }

    pub fn configuration(&self, number: u64) -> Configuration {
        let pair = |(parameter, choice): (&Parameter, usize)| {
            let value = parameter.values[choice].clone();
            let size = match value {
                KernelValue::Int(value) => usize::try_from(value).ok(),
                KernelValue::UInt(value) => usize::try_from(value).ok(),
                KernelValue::Bool(value) => Some(usize::from(value)),
                _ => None,
            };
            Pair { name: Arc::clone(&parameter.name), value, size }
        };
        Configuration { pairs: self.parameters.iter().zip(self.choices(number)).map(pair).collect() }
    }

    /// Whether the restrictions allow a combination.
    pub fn allows(&self, number: u64) -> bool {
        if self.restrictions.is_empty() {
            return true;
        }
        let configuration = self.configuration(number);
        self.restrictions.iter().all(|restriction| restriction(&configuration))
    }

    /// The combination that has these texts.
    pub fn find(&self, texts: &[(String, String)]) -> Option<u64> {
        if texts.len() != self.parameters.len() {
            return None;
        }
        let choice = |(parameter, (name, text)): (&Parameter, &(String, String))| {
            (*parameter.name == **name)
                .then(|| parameter.values.iter().position(|value| value.to_string() == *text))?
        };
        let choices: Option<Vec<usize>> = self.parameters.iter().zip(texts).map(choice).collect();
        Some(self.number(&choices?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> Space {
        let mut space = Space::default();
        space.add("block", [32, 64, 128].map(KernelValue::from).to_vec());
        space.add("type", ["float", "double"].map(KernelValue::from).to_vec());
        space.restrict(Box::new(|v| v["block"] < 128 || v.text("type") == "float"));
        space
    }

    #[test]
    fn numbers_are_combinations() {
        let space = space();
        assert_eq!(space.size(), Some(6));
        for number in 0..6 {
            assert_eq!(space.number(&space.choices(number)), number);
            assert_eq!(space.find(&space.configuration(number).texts()), Some(number));
        }
        assert_eq!(space.configuration(4).to_string(), "block = 64, type = double");
        assert_eq!((0..6).filter(|number| space.allows(*number)).count(), 5);
        assert_eq!(
            space.find(&[("block".to_owned(), "7".to_owned()), ("type".to_owned(), "float".to_owned())]),
            None
        );
    }

    #[test]
    fn a_name_that_is_not_there_says_which_are() {
        let configuration = space().configuration(0);
        let said = std::panic::catch_unwind(|| configuration["blocks"]).unwrap_err();
        assert_eq!(
            *said.downcast::<String>().unwrap(),
            "there is no parameter `blocks`; there are `block`, `type`"
        );
    }
}
