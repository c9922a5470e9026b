//! Templates of kernels: their parameters, and what an instance of one takes.

use std::collections::HashMap;

use super::{Signature, TemplateParameter};
use crate::declaration::{CType, Parameter};
use crate::token::{Token, TokenKind};
use crate::{DType, SpecError};

/// The parameters of the `template <...>` that the tokens before a function
/// end with.
pub(super) fn template_parameters(source: &str, before: &[Token]) -> Option<Vec<TemplateParameter>> {
    let ends = |token: &Token| {
        token.kind == TokenKind::Directive || [';', '}', '{'].iter().any(|mark| token.is_mark(source, *mark))
    };
    let start = before.iter().rposition(ends).map_or(0, |at| at + 1);
    let head = &before[start..];
    let at = head.iter().position(|token| token.is_name(source, "template"))?;
    let mut depth = 0i32;
    let mut parameters: Vec<Vec<&Token>> = vec![Vec::new()];
    for token in &head[at + 1..] {
        let (opens, closes) = (token.is_mark(source, '<'), token.is_mark(source, '>'));
        depth += i32::from(opens) - i32::from(closes);
        if depth == 0 {
            break;
        }
        if depth == 1 && token.is_mark(source, ',') {
            parameters.push(Vec::new());
        } else if !(depth == 1 && opens) {
            parameters.last_mut().expect("there is one").push(token);
        }
    }
    parameters.retain(|parameter| !parameter.is_empty());
    let read = |parameter: &Vec<&Token>| {
        let equals = parameter.iter().position(|token| token.is_mark(source, '='));
        let (declared, default) = parameter.split_at(equals.unwrap_or(parameter.len()));
        let is_keyword = |token: &&&Token| matches!(token.text(source), "class" | "typename");
        let named = declared
            .iter()
            .rfind(|token| token.kind == TokenKind::Identifier)
            .filter(|token| !is_keyword(token));
        let name = named.map_or(String::new(), |token| token.text(source).to_owned());
        let default = default
            .get(1..)
            .filter(|default| !default.is_empty())
            .map(|default| source[default[0].span.start..default[default.len() - 1].span.end].to_owned());
        let is_pack = declared.iter().any(|token| token.is_mark(source, '.'));
        TemplateParameter { name, default, is_pack }
    };
    Some(parameters.iter().map(read).collect())
}

/// The signature of a template's instance, such as `reduce<float, 256>` or
/// `scope::reduce<float>`, as far as the text shows it.
///
/// # Errors
///
/// If the expression cannot be read, or no template of a source has the name.
///
/// ```
/// use gpurepl_kernels::{preprocessor::Environment, signature};
/// let source = "template <class T, int N = 4> __global__ void fill(T *x, T value) {}";
/// let found = signature::find(source, &Environment::default())?;
/// let instance = signature::instance(&found, "fill<unsigned int>")?;
/// assert_eq!(instance.to_string(), "fill<unsigned int>(unsigned int *x, unsigned int value)");
/// # Ok::<(), gpurepl_kernels::SpecError>(())
/// ```
pub fn instance(signatures: &[Signature], expression: &str) -> Result<Signature, SpecError> {
    let whole = 0..expression.len();
    let refuse = |message: String| SpecError::new(message, expression, whole.clone());
    let Some((name, rest)) = expression.split_once('<') else {
        return Err(refuse("this names no instance of a template".to_owned()).help("write `name<float>`"));
    };
    let Some(arguments) = rest.trim_end().strip_suffix('>') else {
        return Err(refuse("this instance of a template has no end".to_owned()).help("write `name<float>`"));
    };
    let name = name.trim().trim_start_matches("::");
    let templates = || signatures.iter().filter(|signature| signature.is_template);
    let found = templates().find(|signature| signature.name == name || signature.path() == name);
    let Some(template) = found else {
        let known: Vec<&str> = templates().map(|signature| signature.name.as_str()).collect();
        let help =
            if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
        return Err(refuse(format!("the source has no kernel template `{name}`")).help(help));
    };
    let mut given = split_arguments(arguments).into_iter();
    let mut meanings: HashMap<&str, Vec<String>> = HashMap::new();
    for parameter in &template.template_parameters {
        let meaning = if parameter.is_pack {
            given.by_ref().collect()
        } else {
            let Some(meaning) = given.next().or_else(|| parameter.default.clone()) else { continue };
            vec![meaning]
        };
        meanings.insert(&parameter.name, meaning);
    }
    let mut signature = template.clone();
    signature.is_template = false;
    signature.template_arguments = Some(arguments.trim().to_owned());
    let with = |parameter: &Parameter, meaning: &str| {
        let dtype = DType::from_c(meaning);
        let (ctype, spelling) = match parameter.ctype {
            CType::Pointer { is_const, .. } => {
                (CType::Pointer { element: dtype, is_const }, format!("{meaning} *"))
            }
            _ => (dtype.map_or(CType::Other, CType::Scalar), meaning.to_owned()),
        };
        let is_char = meaning == "char";
        Parameter { ctype, spelling, is_char, is_pack: false, is_structure: false, ..parameter.clone() }
    };
    let mut parameters = Vec::new();
    for parameter in &template.parameters {
        match meanings.get(parameter.spelling.replace(['*', ' '], "").as_str()) {
            Some(meanings) if parameter.is_pack => {
                let number = |(k, meaning): (usize, &String)| Parameter {
                    name: format!("{}[{k}]", parameter.name),
                    ..with(parameter, meaning)
                };
                parameters.extend(meanings.iter().enumerate().map(number));
            }
            Some(meanings) => parameters.push(with(parameter, &meanings[0])),
            None => parameters.push(parameter.clone()),
        }
    }
    signature.parameters = parameters;
    Ok(signature)
}

/// Splits at the commas that no bracket encloses.
fn split_arguments(text: &str) -> Vec<String> {
    let mut depth = 0i32;
    let parts = text.split(|c: char| {
        depth += i32::from(matches!(c, '<' | '(' | '[')) - i32::from(matches!(c, '>' | ')' | ']'));
        depth == 0 && c == ','
    });
    parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}
