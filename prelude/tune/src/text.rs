//! Texts of kernels that are made with the values of a variant.

use gpurepl_arrays::kernel::{SourceModule, SourceModuleBuilder};
use gpurepl_ground::Result;
use gpurepl_templates::Template;

use crate::space::Configuration;

/// The text of a kernel with parameters.
#[derive(Clone, Debug)]
pub enum KernelText {
    /// CUDA C, in which each parameter is a macro.
    Macros(String),
    /// A template, in which each parameter is a name.
    Template(Template),
}

impl From<&str> for KernelText {
    fn from(text: &str) -> KernelText {
        KernelText::Macros(text.to_owned())
    }
}

impl From<String> for KernelText {
    fn from(text: String) -> KernelText {
        KernelText::Macros(text)
    }
}

impl From<&String> for KernelText {
    fn from(text: &String) -> KernelText {
        KernelText::Macros(text.clone())
    }
}

impl From<Template> for KernelText {
    fn from(template: Template) -> KernelText {
        KernelText::Template(template)
    }
}

impl From<&Template> for KernelText {
    fn from(template: &Template) -> KernelText {
        KernelText::Template(template.clone())
    }
}

impl KernelText {
    /// The text as it was written.
    pub(crate) fn text(&self) -> &str {
        match self {
            KernelText::Macros(text) => text,
            KernelText::Template(template) => template.source(),
        }
    }

    /// The source with values in it.
    pub(crate) fn builder(
        &self,
        configuration: &Configuration,
        options: &[String],
    ) -> Result<SourceModuleBuilder> {
        let (builder, defines) = match self {
            KernelText::Macros(text) => (SourceModule::builder(text), configuration.values().defines()),
            KernelText::Template(template) => (template.builder(configuration.values())?, Vec::new()),
        };
        Ok(defines.iter().chain(options).fold(builder, |builder, option| builder.option(option)))
    }
}
