//! What a GPU is launched with.

use std::fmt::Write as _;

use super::{ENTRY_NAME, Form, REDUCE_BLOCK, RustKernel, RustParameter, views_of};

impl RustKernel<'_> {
    pub(super) fn gpu_entry(&self, text: &mut String) {
        let mut declared = Vec::new();
        for (k, parameter) in self.parameters.iter().enumerate() {
            match parameter {
                RustParameter::Value(of, ..) => declared.push(format!("p{k}: {of}")),
                // A reference to nothing: what it points at is only read, which lets the GPU
                // read it through another cache.
                RustParameter::Slice(of, ..) => declared.push(format!("p{k}: &[{of}; 0], n{k}: usize")),
                RustParameter::SliceMut(of, ..) | RustParameter::Atomics(of, ..) => {
                    declared.push(format!("p{k}: *mut {of}, n{k}: usize"))
                }
                RustParameter::View(of, _, _, axes) | RustParameter::ViewMut(of, _, _, axes) => {
                    declared.push(format!("p{k}: *mut {of}"));
                    declared.extend((0..*axes).map(|axis| format!("n{axis}_{k}: usize")));
                    declared.extend((0..*axes).map(|axis| format!("s{axis}_{k}: isize")));
                }
            }
        }
        // SAFETY, of the text: the launch passes what the parameters say (`prelude/arrays/src/kernel/rust/`).
        let _ = writeln!(
            text,
            "#[unsafe(no_mangle)] pub unsafe extern \"ptx-kernel\" fn {ENTRY_NAME}({}) {{ unsafe {{",
            declared.join(", ")
        );
        for (k, parameter) in self.parameters.iter().enumerate() {
            if let RustParameter::Slice(of, ..) = parameter {
                let _ = writeln!(text, "let p{k}: *const {of} = p{k}.as_ptr();");
            }
            if let RustParameter::View(.., axes) | RustParameter::ViewMut(.., axes) = parameter {
                text.push_str(&views_of(k, *axes));
            }
        }
        let function = self.function;
        match self.form {
            Form::Kernel => {
                let _ = writeln!(text, "{function}({});", self.arguments());
            }
            Form::Map(with_index) => self.gpu_map(text, with_index),
            Form::Reduce => self.gpu_reduce(text),
            Form::Fold => self.gpu_scan(text, false),
            Form::Scan => self.gpu_scan(text, true),
        }
        text.push_str("} }\n");
    }

    /// A reduction for a GPU, whose blocks have [`REDUCE_BLOCK`] threads.
    fn gpu_reduce(&self, text: &mut String) {
        let last = self.parameters.len() - 1;
        let (x, neutral) = (last - 1, last - 2);
        let of = self.parameters[x].type_and_layout().0;
        let _ = writeln!(
            text,
            "let f = {};\nlet part = shared!([{of}; {REDUCE_BLOCK}]);\n\
             let (t, per) = (thread::x(), n{x}.div_ceil(grid::width()));\n\
             let (mut i, end) = (block::x() * per + t, ::core::cmp::min((block::x() + 1) * per, n{x}));\n\
             let mut v = p{neutral};\nwhile i < end {{ v = f(v, *p{x}.add(i)); i += {REDUCE_BLOCK}; }}\n\
             part[t] = v;\nblock::sync();\nlet mut half = {REDUCE_BLOCK} / 2;\n\
             while half > 0 {{ if t < half {{ part[t] = f(part[t], part[t + half]); }} block::sync(); half /= 2; }}\n\
             if t == 0 {{ p{last}.add(block::x()).write(part[0]); }}",
            self.function
        );
    }

    /// An elementwise kernel for a GPU: each thread takes four neighbours at once, by one
    /// access of each array where they lie at a multiple of their size.
    fn gpu_map(&self, text: &mut String, with_index: bool) {
        let (function, last) = (self.function, self.parameters.len() - 1);
        let arrays: Vec<usize> =
            (0..=last).filter(|k| !matches!(self.parameters[*k], RustParameter::Value(..))).collect();
        // Four elements have no padding behind them.
        let four = |k: usize| {
            let (of, size, _) = self.parameters[k].type_and_layout();
            format!("gpu::half::Four{}<{of}>", size.clamp(1, 4))
        };
        let aligned: Vec<String> = arrays
            .iter()
            .map(|k| format!("(p{k} as usize) % ::core::mem::align_of::<{}>() == 0", four(*k)))
            .collect();
        let mut read = String::new();
        for k in &arrays[..arrays.len() - 1] {
            let _ = write!(read, "let v{k} = p{k}.cast::<{}>().add(i).read(); ", four(*k));
        }
        let call = |element: usize| {
            let mut given: Vec<String> =
                if with_index { vec![format!("4 * i + {element}")] } else { Vec::new() };
            given.extend(arrays[..arrays.len() - 1].iter().map(|k| format!("v{k}.0[{element}]")));
            format!("f({})", given.join(", "))
        };
        let calls: Vec<String> = (0..4).map(call).collect();
        let _ = writeln!(
            text,
            "let f = {function};\nlet (mut i, step) = (thread::index(), grid::threads());\n\
             if {} {{\nwhile i < n{last} / 4 {{ {read}\
             p{last}.cast::<{}>().add(i).write({}([{}])); i += step; }}\n\
             i = n{last} / 4 * 4 + thread::index();\n}}\nwhile i < n{last} {{ {} i += step; }}",
            aligned.join(" && "),
            four(last),
            four(last).replacen('<', "::<", 1),
            calls.join(", "),
            self.element(with_index)
        );
    }
}
