//! What the host device calls: the arguments of a launch, and the user's function in each thread.

use std::fmt::Write as _;

use super::{ENTRY_NAME, Form, HOST_TILE, RustKernel, RustParameter, views_of};

impl RustKernel<'_> {
    pub(super) fn host_entry(&self, text: &mut String) {
        // SAFETY, of the text: the simulator passes the arguments of a launch, which are as the parameters say.
        let _ = writeln!(
            text,
            "#[unsafe(no_mangle)] pub unsafe extern \"C\" fn {ENTRY_NAME}(arguments: *mut *mut ::core::ffi::c_void, \
             here: *mut gpu::half::Context, begin: usize, end: usize) {{ unsafe {{"
        );
        let mut number = 0;
        let mut taken = String::new();
        for (k, parameter) in self.parameters.iter().enumerate() {
            let mut take = |name: &str, of: &str| {
                let _ = writeln!(
                    taken,
                    "let {name}{k} = (*arguments.add({number})).cast::<{of}>().read_unaligned();"
                );
                number += 1;
            };
            match parameter {
                RustParameter::Value(of, ..) => take("p", of),
                RustParameter::Slice(of, ..) => {
                    take("p", &format!("*const {of}"));
                    take("n", "usize");
                }
                RustParameter::SliceMut(of, ..) | RustParameter::Atomics(of, ..) => {
                    take("p", &format!("*mut {of}"));
                    take("n", "usize");
                }
                RustParameter::View(of, _, _, axes) | RustParameter::ViewMut(of, _, _, axes) => {
                    take("p", &format!("*mut {of}"));
                    let mut numbers = |name: char, of: &str| {
                        (0..*axes).for_each(|axis| take(&format!("{name}{axis}_"), of));
                    };
                    numbers('n', "usize");
                    numbers('s', "isize");
                    taken.push_str(&views_of(k, *axes));
                }
            }
        }
        text.push_str(&taken);
        let function = self.function;
        match self.form {
            Form::Kernel => {
                let _ = writeln!(
                    text,
                    "gpu::half::run::<{}>(here, begin, end, || {{ {function}({}); }})",
                    self.meets(),
                    self.arguments()
                );
            }
            Form::Map(with_index) => {
                let last = self.parameters.len() - 1;
                let _ = writeln!(
                    text,
                    "let f = {function};\nlet (first, last) = (begin * {HOST_TILE}, ::core::cmp::min(end * {HOST_TILE}, n{last}));\n\
                     for i in first..last {{ {} }}",
                    self.element(with_index)
                );
            }
            Form::Reduce => {
                let last = self.parameters.len() - 1;
                let (x, neutral) = (last - 1, last - 2);
                let _ = writeln!(
                    text,
                    "let f = {};\nlet per = n{x}.div_ceil((*here).grid_size[0] as usize);\n\
                     for block in begin..end {{ let mut v = p{neutral}; \
                     for i in block * per..::core::cmp::min((block + 1) * per, n{x}) {{ v = f(v, *p{x}.add(i)); }} \
                     p{last}.add(block).write(v); }}",
                    self.function
                );
            }
            Form::Fold => {
                let last = self.parameters.len() - 1;
                let x = last - 1;
                let _ = writeln!(
                    text,
                    "let f = {function};\nlet per = n{x}.div_ceil((*here).grid_size[0] as usize);\n\
                     for block in begin..end {{ let mut v = *p{x}.add(block * per); \
                     for i in block * per + 1..::core::cmp::min((block + 1) * per, n{x}) {{ v = f(v, *p{x}.add(i)); }} \
                     p{last}.add(block).write(v); }}"
                );
            }
            Form::Scan => {
                let last = self.parameters.len() - 1;
                let (x, before) = (last - 2, last - 1);
                let _ = writeln!(
                    text,
                    "let f = {function};\nlet per = n{x}.div_ceil((*here).grid_size[0] as usize);\n\
                     for block in begin..end {{ let first = block * per; let mut v = *p{x}.add(first); \
                     if block > 0 {{ v = f(*p{before}.add(block - 1), v); }} p{last}.add(first).write(v); \
                     for i in first + 1..::core::cmp::min(first + per, n{x}) {{ v = f(v, *p{x}.add(i)); p{last}.add(i).write(v); }} }}"
                );
            }
        }
        text.push_str("} }\n");
    }
}
