//! Kernels whose text a program writes: templates in Jinja's language, which
//! PyCUDA's users know from Jinja2.
//!
//! ```no_run
//! use gpurepl_prelude::*;
//! let source = r"
//! __global__ void twice({{ type_name }} *tgt)
//! {
//!     int idx = threadIdx.x + {{ thread_block_size }} * {{ block_size }} * blockIdx.x;
//!     {% for i in range(block_size) %}
//!     tgt[idx + {{ i * thread_block_size }}] *= 2;
//!     {% endfor %}
//! }";
//! let values = context! { type_name => f32::DTYPE, block_size => 4, thread_block_size => 64 };
//! let module = SourceModule::template(source, values)?;
//! let mut a = ones::<f32>(1024);
//! module.get_function("twice")?.launch(1024 / (4 * 64), 64, &mut a)?;
//! assert_eq!(a.sum().item(), 2048.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! minijinja renders them, in a plugin that is built when a cell uses the first template.
#![warn(missing_docs)]

mod answer;

use std::path::Path;

use gpurepl_extend::text::{KernelValues, Origin, SourceModule, SourceModuleBuilder};
use gpurepl_extend::{Result, error, plugin};

use answer::Rendered;

/// A text with places for values, and with loops and conditions over them, in
/// [Jinja's language](https://jinja.palletsprojects.com/en/stable/templates/) as
/// [minijinja](https://docs.rs/minijinja/3/minijinja/syntax/index.html) has it.
///
/// A name without a value is an error. `{{ x }}` writes a value as CUDA C has it: `true`, `0.5`, and a
/// [`DType`](gpurepl_extend::DType) as its name. C's own braces stay as they are; where a text must have `{{`, write `{ {`, or
/// put it between `{% raw %}` and `{% endraw %}`.
///
/// ```no_run
/// use gpurepl_prelude::*;
/// let template = Template::new("{% for i in range(n) %}x[{{ i }}] += {{ step }}; {% endfor %}");
/// assert_eq!(template.variables()?, ["n", "step"]);
/// assert_eq!(template.render(context! { n => 2, step => 0.5 })?, "x[0] += 0.5; x[1] += 0.5; ");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
    /// What errors call it.
    name: String,
}

impl Template {
    /// A template. It is read when it is rendered.
    pub fn new(text: &str) -> Template {
        Template::from(text.to_owned())
    }

    /// A template in a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not UTF-8.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Template> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|why| error::io("read the template", path, why))?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Template { text, name })
    }

    /// Its text.
    pub fn source(&self) -> &str {
        &self.text
    }

    /// The text with values in their places.
    ///
    /// # Errors
    ///
    /// If the template is not well formed, a name has no value, or a value does not fit the
    /// operation; the error points into the template. The plugin may be missing, too: it is built
    /// once, when it is first wanted.
    pub fn render(&self, values: impl Into<KernelValues>) -> Result<String> {
        Ok(self.rendered(&values.into())?.text)
    }

    /// The names that it wants values of, in alphabetical order.
    ///
    /// # Errors
    ///
    /// As [`Template::render`], but for values.
    pub fn variables(&self) -> Result<Vec<String>> {
        let bytes = plugin("templates")?.ask("variables", self.text.as_bytes())?;
        answer::read::<Vec<String>>(&bytes)?.map_err(|fault| self.error(fault))
    }

    /// A source of kernels made of it, to be compiled with options. A mistake that the compiler
    /// finds is shown at its place in the template, beside the line that was generated.
    ///
    /// # Errors
    ///
    /// As [`Template::render`].
    pub fn builder(&self, values: impl Into<KernelValues>) -> Result<SourceModuleBuilder> {
        let Rendered { text, parts } = self.rendered(&values.into())?;
        let parts = parts.into_iter().map(answer::Part::into).collect();
        Ok(SourceModule::builder(&text).origin(Origin {
            name: self.name.clone(),
            template: self.text.clone(),
            parts,
        }))
    }

    fn rendered(&self, values: &KernelValues) -> Result<Rendered> {
        let bytes = plugin("templates")?.ask("render", &answer::request(&self.text, values)?)?;
        answer::read::<Rendered>(&bytes)?.map_err(|fault| self.error(fault))
    }

    fn error(&self, fault: answer::Fault) -> gpurepl_extend::Error {
        let place = fault.start as usize..fault.end as usize;
        error::text("Template", fault.message, &self.text, place, fault.help)
    }
}

impl From<&str> for Template {
    fn from(text: &str) -> Template {
        Template::new(text)
    }
}

impl From<String> for Template {
    fn from(text: String) -> Template {
        Template { text, name: "template".to_owned() }
    }
}

/// What is compiled from a template; a part of the prelude's glob import.
pub trait FromTemplate: Sized {
    /// Renders a template and compiles the text: `SourceModule::template(text, context! { n => 4 })`.
    ///
    /// # Errors
    ///
    /// As [`Template::render`] and `SourceModule::new`; the compiler's errors point into the
    /// template, and show the line that was generated.
    fn template(template: impl Into<Template>, values: impl Into<KernelValues>) -> Result<Self>;
}

impl FromTemplate for SourceModule {
    fn template(template: impl Into<Template>, values: impl Into<KernelValues>) -> Result<SourceModule> {
        template.into().builder(values)?.compile()
    }
}

impl From<&Template> for Template {
    fn from(template: &Template) -> Template {
        template.clone()
    }
}
