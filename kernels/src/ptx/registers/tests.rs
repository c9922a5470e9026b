use super::*;

const DECLARATIONS: &str = ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;";

/// The registers that a kernel with this body reads unset, with their lines.
fn found(body: &str) -> Vec<(String, usize)> {
    let text = format!(".visible .entry kernel() {{ {DECLARATIONS}{body}\n}}");
    perhaps_unset(&text).into_iter().map(|unset| (unset.register, unset.line)).collect()
}

#[track_caller]
fn reads_unset(body: &str, expected: &[(&str, usize)]) {
    let found = found(body);
    let found: Vec<_> = found.iter().map(|(register, line)| (register.as_str(), *line)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_straight_line() {
    reads_unset(
        "mov.b32 %r1, %tid.x;\nadd.s32 %r2, %r1, 1;\nst.global.b32 [%rd1], %r2;\nret;",
        &[("%rd1", 3)],
    );
    reads_unset("\nadd.s32 %r1, %r1, 1;\nadd.s32 %r1, %r1, 1;", &[("%r1", 2)]);
    reads_unset("mov.b64 %rd1, %clock64; mov.b32 %r1, %laneid; st.b32 [%rd1+4], %r1;", &[]);
}

#[test]
fn what_is_reported() {
    let text = ".func f() {\n.reg .b32 %r<2>;\n  st.shared.b32 [0], %r1; // %r0\n}";
    let [unset] = &unset(text)[..] else { panic!("one register") };
    assert_eq!((unset.function.as_str(), unset.register.as_str(), unset.line), ("f", "%r1", 3));
    assert_eq!(unset.text, "st.shared.b32 [0], %r1; // %r0");
}

#[test]
fn a_branch_that_sets_on_one_side_only() {
    let diamond = |other: &str| {
        format!(
            "setp.eq.s32 %p1, 0, 0; @%p1 bra $A; mov.b32 %r1, 1; bra.uni $B; $A: {other}\n$B: mov.b32 %r2, %r1;"
        )
    };
    reads_unset(&diamond(""), &[("%r1", 2)]);
    reads_unset(&diamond("mov.b32 %r1, 2;"), &[]);
    reads_unset(&diamond("trap;"), &[]);
    reads_unset(&diamond("exit;"), &[]);
    reads_unset(&diamond("@%p1 ret;"), &[("%r1", 2)]);
}

#[test]
fn a_loop_that_carries_a_register() {
    let body =
        "$L:\nadd.s32 %r2, %r1, 1; mov.b32 %r1, %r2; setp.lt.s32 %p1, %r1, 9; @%p1 bra $L; st.b32 [0], %r2;";
    reads_unset(body, &[("%r1", 2)]);
    reads_unset(&format!("mov.b32 %r1, 0;{body}"), &[]);
}

#[test]
fn a_loop_that_may_not_run() {
    reads_unset(
        "setp.eq.s32 %p1, 0, 0; bra $C; $L: mov.b32 %r1, 1; $C: @%p1 bra $L;\nst.b32 [0], %r1;",
        &[("%r1", 2)],
    );
}

#[test]
fn predicates() {
    let set = "setp.eq.s32 %p1, 0, 0; setp.ne.s32 %p2, 0, 0;";
    let after = |body: &str, expected: &[(&str, usize)]| reads_unset(&format!("{set}{body}"), expected);
    after("@%p1 mov.b32 %r1, 1; @%p1 st.b32 [0], %r1;", &[]);
    after("@%p1 mov.b32 %r1, 1; @!%p1 mov.b32 %r1, 2; st.b32 [0], %r1;", &[]);
    after("@%p1 mov.b32 %r1, 1; @!%p1 bra $L; st.b32 [0], %r1; $L: ret;", &[]);
    after("@%p1 mov.b32 %r1, 1; @%p1 bra $L; ret; $L: st.b32 [0], %r1;", &[]);
    after("mov.b32 %r1, 0; @%p1 mov.b32 %r1, 1; st.b32 [0], %r1;", &[]);
    after("@%p1 mov.b32 %r1, 1;\nst.b32 [0], %r1;", &[("%r1", 2)]);
    after("@%p1 mov.b32 %r1, 1;\n@!%p1 st.b32 [0], %r1;", &[("%r1", 2)]);
    after("@%p1 mov.b32 %r1, 1;\n@%p2 st.b32 [0], %r1;", &[("%r1", 2)]);
    after("@%p1 mov.b32 %r1, 1; setp.eq.s32 %p1, 0, 1;\n@%p1 st.b32 [0], %r1;", &[("%r1", 2)]);
    reads_unset("\n@%p1 ret;", &[("%p1", 2)]);
}

#[test]
fn vectors() {
    reads_unset("mov.b64 {%r1, _}, 0; mov.b64 %rd1, {%r1, %r1};\nmov.b64 %rd2, {%r1, %r2};", &[("%r2", 2)]);
    reads_unset(".reg .v2 .b32 v, w; mov.b32 v.x, 0; mov.b32 %r1, v.x;\nmov.b32 %r1, w.y;", &[("w", 2)]);
}

#[test]
fn calls() {
    reads_unset("call.uni (%r1), f, (%rd1); st.b32 [0], %r1;", &[("%rd1", 1)]);
    reads_unset(
        "{ .param .b32 retval0;\ncall.uni (retval0),\nf,\n(\n%r2\n);\nld.param.b32 %r1, [retval0]; } mov.b32 %r3, %r1;",
        &[("%r2", 5)],
    );
    let text = ".func stop() .noreturn;\n.entry k() { .reg .pred %p1; .reg .b32 %r1; setp.eq.s32 %p1, 0, 0;\n\
                @%p1 bra $L; mov.b32 %r1, 0; bra $M; $L: call.uni stop; $M: st.b32 [0], %r1; }";
    assert_eq!(perhaps_unset(text), []);
    assert_eq!(perhaps_unset(&text.replace(" .noreturn", "")).len(), 1);
}

#[test]
fn parameters_in_registers() {
    let text =
        ".func (.reg .b32 r) f (.reg .b32 a, .reg .b64 b) { .reg .b32 c;\nadd.s32 c, a, c; mov.b64 b, b; }";
    let found: Vec<_> = unset(text).into_iter().map(|unset| unset.register).collect();
    assert_eq!(found, ["c"]);
}

#[test]
fn nested_scopes() {
    reads_unset("mov.b32 %r1, 0; {\n.reg .b32 %r1; st.b32 [0], %r1; } st.b32 [0], %r1;", &[("%r1", 2)]);
    reads_unset(
        "{ .reg .b32 t; mov.b32 t, 0; mov.b32 %r1, t; } { .reg .b32 t;\nmov.b32 %r1, t; }",
        &[("t", 2)],
    );
    // Labels of inline assembly are those of its braces.
    let wait = "{ .reg .pred q; W: mbarrier.try_wait.b64 q, [0], 0; @q bra D; bra W; D: }";
    reads_unset(&format!("// begin inline asm\n{wait}{wait}\nmov.b32 %r1, 0; st.b32 [0], %r1;"), &[]);
}

#[test]
fn tables_of_branches() {
    let body = |other: &str| {
        format!(
            "$T: .branchtargets $A, $B; mov.b32 %r1, 0; brx.idx %r1, $T;\n\
             $A: mov.b32 %r2, 1; bra $C; $B: {other}\n$C: st.b32 [0], %r2;"
        )
    };
    reads_unset(&body("mov.b32 %r2, 2;"), &[]);
    reads_unset(&body(""), &[("%r2", 3)]);
}

#[test]
fn where_control_never_comes_nothing_is_read() {
    reads_unset("ret; st.b32 [0], %r1;", &[]);
    reads_unset("", &[]);
}

#[test]
fn text_that_ends_early_is_read_to_its_end() {
    let text = ".entry k() { .reg .b32 %r<3>; { @%p1 bra $L; call (%r1), f, (%r2); $L: }";
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        unset(&text[..end]);
    }
    unset(".entry k() { } } } @ ; @! ; .reg ; .reg < ; : ; $L: }");
}

#[test]
fn a_register_that_one_path_sets_is_only_perhaps_unset() {
    let text = |body: &str| format!(".entry kernel() {{ {DECLARATIONS}setp.eq.s32 %p1, 0, 0; {body}}}");
    let sets = [
        "@%p1 bra $L; mov.b32 %r1, 1; $L: st.b32 [0], %r1;",
        "@%p1 mov.b32 %r1, 1; st.b32 [0], %r1;",
        "$L: @!%p1 st.b32 [0], %r1; mov.b32 %r1, 1; @%p1 bra $L;",
    ];
    for body in sets {
        assert_eq!(unset(&text(body)), [], "{body}");
        assert_eq!(perhaps_unset(&text(body)).len(), 1, "{body}");
    }
    // Set afterwards, on the other side, or nowhere.
    let never = [
        "st.b32 [0], %r1; mov.b32 %r1, 1;",
        "@%p1 bra $L; mov.b32 %r1, 1; ret; $L: st.b32 [0], %r1;",
        "ld.local.b32 %r2, [%rd1]; @%p1 bra $L; $L: ret;",
    ];
    for body in never {
        assert_eq!(unset(&text(body)).len(), 1, "{body}");
    }
}
