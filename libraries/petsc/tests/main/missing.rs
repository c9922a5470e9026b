//! A PETSc that is not there, or does not fit. Each case is a process of its own: PETSc is looked for until it is found.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpurepl_prelude::petsc;

use crate::ignored;

/// What the child says of PETSc, with an environment.
fn said(variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "missing::child", "--ignored", "--nocapture"]);
    for name in ["GPUREPL_PETSC", "PETSC_DIR", "PETSC_ARCH"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).env("GPUREPL_DEVICE", "host");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child() {
    println!(
        "{}",
        petsc::Vector::zeros(3)
            .map_or_else(|error| format!("{:?}: {error}", error.kind()), |x| x.to_string())
    );
}

#[test]
fn it_can_be_switched_off() {
    let said = said(&[("GPUREPL_PETSC", "off")]);
    assert!(said.contains("Missing: PETSc is switched off by GPUREPL_PETSC=off"), "{said}");
    assert!(said.contains("unset GPUREPL_PETSC"), "{said}");
}

#[test]
fn a_library_that_is_named_must_be_there() {
    let said = said(&[("GPUREPL_PETSC", "/nowhere/libpetsc.so")]);
    assert!(
        said.contains("Missing: GPUREPL_PETSC is /nowhere/libpetsc.so, which cannot be loaded: "),
        "{said}"
    );
}

/// A library that is called PETSc's and is not: a compiler makes one.
fn made(folder: &Path, text: &str) -> Option<PathBuf> {
    let (source, library) = (folder.join("fake.c"), folder.join("libpetsc.so"));
    std::fs::write(&source, text).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut command = Command::new(compiler);
    let Ok(status) = command.args(["-shared", "-fPIC", "-w", "-o"]).arg(&library).arg(&source).status()
    else {
        ignored::ignored("needs a C compiler");
        return None;
    };
    assert!(status.success());
    Some(library)
}

const VERSION: &str = "
    #include <string.h>
    int PetscGetVersion(char *text, unsigned long size) { strcpy(text, \"Petsc Release Version VERSION, May 1, 2020 \"); return 0; }
";

#[test]
fn a_version_whose_interface_is_not_known_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let Some(library) = made(folder.path(), &VERSION.replace("VERSION,", "3.12.4,")) else { return };
    let said = said(&[("GPUREPL_PETSC", library.to_str().unwrap())]);
    assert!(said.contains("not known: Petsc Release Version 3.12.4, May 1, 2020"), "{said}");
    assert!(said.contains("install PETSc 3.17 to 3.24"), "{said}");
}

#[test]
fn a_library_that_lacks_functions_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let Some(library) = made(folder.path(), "int nothing;") else { return };
    let said = said(&[("GPUREPL_PETSC", library.to_str().unwrap())]);
    assert!(said.contains("this PETSc has no `PetscGetVersion`"), "{said}");
    let Some(library) = made(folder.path(), &VERSION.replace("VERSION,", "3.18.0,")) else { return };
    let said = self::said(&[("GPUREPL_PETSC", library.to_str().unwrap())]);
    assert!(said.contains("this PETSc has no `Petsc"), "{said}");
}

/// The functions are there by their names, and tell other types.
fn of_types(folder: &Path, scalar: u32, scalar_bytes: u32, real: u32, real_bytes: u32) -> Option<String> {
    let functions = include_str!("../../src/library/functions.rs");
    let names = functions.lines().filter_map(|line| line.trim().split_once(" = \"")?.1.split('"').next());
    let mut text = VERSION.replace("VERSION,", "3.18.0,");
    for name in names.filter(|name| !name.starts_with("PetscDataType")) {
        text.push_str(&format!("int {name}() {{ __builtin_abort(); }}\n"));
    }
    text.push_str(&format!(
        "int PetscDataTypeFromString(const char *name, int *type, int *known) {{
            *known = 1;
            *type = !strcmp(name, \"int\") ? 16 : !strcmp(name, \"scalar\") ? {scalar} : {real};
            return 0;
        }}
        int PetscDataTypeGetSize(int type, unsigned long *size) {{
            *size = type == 16 ? 4 : type == {scalar} ? {scalar_bytes} : {real_bytes};
            return 0;
        }}"
    ));
    made(folder, &text).map(|library| said(&[("GPUREPL_PETSC", library.to_str().unwrap())]))
}

#[test]
fn other_types_of_numbers_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let Some(said) = of_types(folder.path(), 2, 16, 1, 8) else { return };
    assert!(said.contains("has complex numbers (PetscScalar), which are not supported"), "{said}");
    let Some(said) = of_types(folder.path(), 5, 4, 5, 4) else { return };
    assert!(said.contains("has numbers of single precision (PetscReal)"), "{said}");
}

#[test]
fn petsc_dir_is_where_it_is_looked_for_first() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("arch-linux/lib");
    std::fs::create_dir_all(&library).unwrap();
    if made(&library, &VERSION.replace("VERSION,", "3.99.0,")).is_none() {
        return;
    }
    let said = said(&[("PETSC_DIR", folder.path().to_str().unwrap()), ("PETSC_ARCH", "arch-linux")]);
    assert!(said.contains("Petsc Release Version 3.99.0"), "{said}");
}
