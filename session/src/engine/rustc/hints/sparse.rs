//! SciPy's names for sparse matrices and their solvers.

use super::Mistake;
use super::place::{Call, operand, receiver_start};

/// The formats, which are structures of one parameter.
const FORMATS: [&str; 4] = ["Csr", "Csc", "Coo", "Dia"];

/// Advice about a method of a sparse matrix, or a function of `sparse`.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    let said = &mistake.message.message;
    match mistake.message.code() {
        "E0599" | "E0609" | "E0610" | "E0615" if is_matrix(mistake) => {
            let call = Call::at(mistake.text, mistake.range.start)?;
            of_method(call.on?.trim_start_matches('&'), call.name, &call.positional())
        }
        "E0608" if is_matrix(mistake) => of_index(mistake),
        "E0425" | "E0432" | "E0433"
            if said.contains("in module `sparse`") || said.contains("in `sparse`") =>
        {
            let call = Call::at(mistake.text, mistake.range.start)?;
            of_function(call.name, &call.positional())
        }
        _ => None,
    }
}

fn is_matrix(mistake: &Mistake<'_>) -> bool {
    let said = &mistake.message.message;
    FORMATS.iter().any(|format| {
        said.contains(&format!("`{format}<"))
            || said.contains(&format!("`&{format}<"))
            || said.contains(&format!("::{format}<"))
    })
}

fn of_method(on: &str, name: &str, arguments: &[&str]) -> Option<String> {
    let lent = |text: &&str| format!("&{}", operand(text.trim_start_matches('&')));
    Some(match (name, arguments) {
        ("toarray" | "todense" | "to_array" | "dense", _) => format!("write `{on}.to_dense()`"),
        ("get" | "to_vec" | "item", []) => format!("the dense array is `{on}.to_dense()`"),
        ("T" | "transpose", _) => format!("the transposed matrix is `{on}.t()`"),
        ("H" | "getH", _) => format!("write `{on}.t().conj()`"),
        ("dot" | "mv" | "mm" | "spmv", [other, ..]) => format!("write `{on}.matmul({})`", lent(other)),
        ("tocsr", _) => format!("write `{on}.to_csr()`"),
        ("tocsc", _) => format!("write `{on}.to_csc()`"),
        ("tocoo", _) => format!("write `{on}.to_coo()`"),
        ("nnz" | "shape" | "data" | "indices" | "indptr" | "offsets" | "row" | "col", []) => {
            format!("a method is called with parentheses: `{on}.{name}()`")
        }
        ("getrow" | "row" | "get_row", [row]) => format!("write `{on}.rows({row}..{row} + 1)`"),
        ("getcol" | "col", [column]) => format!("write `{on}.t().rows({column}..{column} + 1)`"),
        ("sum", [axis]) => format!("write `{on}.sum_axis({axis})`"),
        ("size" | "getnnz" | "count_nonzero", _) => {
            format!("the number of elements that are stored is `{on}.nnz()`")
        }
        ("ndim", _) => "a sparse matrix has two axes".to_owned(),
        ("dtype", _) => format!("write `{on}.data().dtype()`"),
        ("copy", _) => format!("write `{on}.clone()`, which shares the elements: a matrix does not change"),
        ("max" | "min" | "mean" | "abs" | "power" | "sqrt" | "multiply" | "maximum" | "argmax", _) => {
            format!(
                "of the elements that are stored `{on}.data()` is an array, and `sparse::Csr::new({on}.shape(), &data, \
             {on}.indices(), {on}.indptr())?` a matrix of others in their places"
            )
        }
        _ => return None,
    })
}

/// `a[0, 1]`, `a[2..5]`
fn of_index(mistake: &Mistake<'_>) -> Option<String> {
    // The compiler points at the brackets.
    let before = mistake.text.get(..mistake.range.start)?;
    let on = before[receiver_start(before)..].trim_start_matches('&').trim();
    let index = mistake.words().strip_prefix('[')?.strip_suffix(']')?;
    let parts: Vec<&str> = index.trim_matches(['(', ')']).split(',').map(str::trim).collect();
    match parts[..] {
        [row, column] if !row.contains("..") && !column.contains("..") => {
            Some(format!("write `{on}.get({row}, {column})`"))
        }
        [rows] if rows.contains("..") => Some(format!("write `{on}.rows({rows})`")),
        [row] => Some(format!("write `{on}.rows({row}..{row} + 1)`")),
        _ => None,
    }
}

fn of_function(name: &str, arguments: &[&str]) -> Option<String> {
    let argument = |number: usize, other: &str| {
        arguments
            .get(number)
            .map_or_else(|| other.to_owned(), |text| format!("&{}", operand(text.trim_start_matches('&'))))
    };
    let (a, b) = (argument(0, "&a"), argument(1, "&b"));
    Some(match name {
        "spsolve" | "splu" | "factorized" => format!(
            "there are no direct solvers here; `sparse::solver().preconditioner(&sparse::ilu({a})?).bicgstab({a}, {b})?` \
             iterates"
        ),
        "minres" | "cgs" | "lgmres" | "qmr" | "tfqmr" | "gcrotmk" => {
            format!("for any square matrix `sparse::gmres({a}, {b})?` or `sparse::bicgstab({a}, {b})?`")
        }
        "csr_array" | "csr_matrix" | "bsr_array" | "lil_matrix" | "dok_matrix" | "array" | "from_dense" => {
            format!(
                "of a dense array `sparse::csr({a})?`, of its parts `sparse::Csr::new(shape, &data, &indices, &indptr)?`"
            )
        }
        "csc_array" | "csc_matrix" => {
            format!(
                "of a dense array `sparse::csr({a})?.to_csc()`, of its parts `sparse::Csc::new(shape, &data, &indices, &indptr)?`"
            )
        }
        "coo_array" | "coo_matrix" => "write `sparse::Coo::new(shape, &rows, &columns, &values)?`".to_owned(),
        "dia_array" | "dia_matrix" | "spdiags" | "diags_array" => {
            "write `sparse::diags([n, n], &[(-1, -1.0), (0, 2.0), (1, -1.0)])?`".to_owned()
        }
        "identity" | "eye_array" | "speye" => {
            format!("write `sparse::eye::<f64>({})?`", arguments.first().unwrap_or(&"n"))
        }
        "random_array" | "rand" => "write `sparse::random::<f64>([m, n], 0.1)?`".to_owned(),
        "bmat" | "block_array" => {
            "write `sparse::vstack(&[&sparse::hstack(&[&a, &b])?, &sparse::hstack(&[&c, &d])?])?`".to_owned()
        }
        "norm" => format!("write `{}.norm()`", a.trim_start_matches('&')),
        "spilu" => format!("write `sparse::ilu({a})?`"),
        "eigs" | "svds" | "lobpcg" => {
            format!(
                "of a Hermitian matrix `sparse::eigsh({a}, k)?`; others are dense here: `linalg::eig(&a.to_dense())?`"
            )
        }
        "LinearOperator" | "aslinearoperator" => {
            "write `sparse::operator(n, |x: &GpuArray<f64>| a.matmul(x))`".to_owned()
        }
        "tril" | "triu" => format!("write `{}.{name}(0)`", a.trim_start_matches('&')),
        _ => return None,
    })
}
