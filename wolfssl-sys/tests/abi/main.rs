//! The bindings against the C compiler: a program that is compiled with the
//! library's own flags prints every size and every constant, and each has to
//! be what Rust believes.
//!
//! The sizes in the generated file are Rust's own: bindgen writes an assertion
//! beside each struct, which the compiler checked when it built the crate.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use wolfssl_sys::build_info;

const BINDINGS: &str = include_str!(concat!(env!("OUT_DIR"), "/bindings.rs"));

/// The C library's own types, whose names need not be typedefs.
const OF_C: &[&str] = &[
    "tm",
    "timeval",
    "stat",
    "dirent",
    "iovec",
    "ReadDirCtx",
    "COND_TYPE",
];

#[test]
fn every_struct_has_the_size_that_c_gives_it() {
    let rust = sizes();
    assert!(rust.len() > 40, "only {} sizes in the bindings", rust.len());
    let expressions = rust
        .keys()
        .map(|name| (name.clone(), format!("sizeof({name})")));
    assert_agree(&rust, &ask_c("sizes", expressions));
}

#[test]
fn every_constant_has_the_value_that_c_gives_it() {
    let rust = constants();
    assert!(
        rust.len() > 500,
        "only {} constants in the bindings",
        rust.len()
    );
    let expressions = rust.keys().map(|name| (name.clone(), name.clone()));
    assert_agree(&rust, &ask_c("constants", expressions));
}

#[test]
fn wolfssls_structs_are_opaque_but_for_those_whose_fields_are_read() {
    const READ: &[&str] = &[
        "WOLFSSL_ALERT",
        "WOLFSSL_ALERT_HISTORY",
        "WOLFSSL_BUFFER_INFO",
        "WOLFSSL_CRYPTO_EX_DATA",
        "WOLFSSL_X509_STORE_CTX",
        "iovec",
    ];
    let mut open = Vec::new();
    for block in BINDINGS.split("\npub struct ").skip(1) {
        let name: String = block
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let body = block.split("\n}").next().unwrap_or_default();
        let opaque = body.contains("_bindgen_opaque_blob")
            || body.contains("_unused:")
            || !body.contains('{');
        if !opaque
            && !name.starts_with("__")
            && !name.starts_with("wolfssl_rs_")
            && !READ.contains(&name.as_str())
        {
            open.push(name);
        }
    }
    assert_eq!(open, Vec::<String>::new());
}

/// Fails with the differences alone, as the maps are long.
fn assert_agree(rust: &BTreeMap<String, i128>, c: &BTreeMap<String, i128>) {
    let differences: Vec<_> = rust
        .iter()
        .filter(|(name, value)| c.get(*name) != Some(*value))
        .map(|(name, value)| (name, value, c.get(name)))
        .collect();
    assert!(differences.is_empty(), "name, Rust, C: {differences:?}");
}

/// `["Size of Aes"][::core::mem::size_of::<Aes>() - 1104usize];`
fn sizes() -> BTreeMap<String, i128> {
    let mut sizes = BTreeMap::new();
    for part in BINDINGS.split("[\"Size of ").skip(1) {
        let name = part.split('"').next().unwrap_or_default();
        let size = part
            .split(" - ")
            .nth(1)
            .and_then(|rest| rest.split("usize").next());
        let of_wolfssl = !OF_C.contains(&name)
            && !name.starts_with('_')
            && !name.starts_with("pthread")
            && !name.contains("__bindgen_ty")
            // a nameless union within a struct, which bindgen calls by its field
            && name != "WOLFSSL_ASN1_OBJECT_d";
        if let (true, Some(Ok(size))) = (of_wolfssl, size.map(str::parse)) {
            sizes.insert(c_name(name), size);
        }
    }
    sizes
}

/// Structs that C knows by their tag alone.
fn c_name(name: &str) -> String {
    match name {
        "tagCertAttribute" | "WOLFSSL_EVP_PKEY" => format!("struct {name}"),
        "wc_init_state_bitfields" => format!("union {name}"),
        name => name.to_owned(),
    }
}

/// `pub const WOLFSSL_SUCCESS: _bindgen_ty_42 = 1;`
fn constants() -> BTreeMap<String, i128> {
    let line = |line: &str| {
        let (name, rest) = line.strip_prefix("pub const ")?.split_once(": ")?;
        let value = rest.split_once(" = ")?.1.strip_suffix(';')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    BINDINGS.lines().filter_map(line).collect()
}

/// Compiles and runs a program that prints each expression's value.
fn ask_c(
    name: &str,
    expressions: impl Iterator<Item = (String, String)>,
) -> BTreeMap<String, i128> {
    let mut code = String::from("#include \"wrapper.h\"\n#include <stdio.h>\nint main(void) {\n");
    for (label, expression) in expressions {
        let _ = writeln!(
            code,
            "    printf(\"%s=%lld\\n\", \"{label}\", (long long)({expression}));"
        );
    }
    code.push_str("    return 0;\n}\n");

    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("probe.c");
    let program = folder.path().join(name);
    fs::write(&source, code).unwrap();
    let info = build_info();
    let [compiler, flags @ ..] = info.c_command else {
        panic!("the build tool did not tell the compiler's command")
    };
    let object = flags.iter().position(|word| *word == "-o").unwrap();
    let shim = Path::new(env!("CARGO_MANIFEST_DIR")).join("shim");
    let output = Command::new(compiler)
        .args(
            flags[..object]
                .iter()
                .filter(|word| **word != "-DBUILDING_WOLFSSL"),
        )
        .args(["-O0", "-I", env!("OUT_DIR"), "-I"])
        .arg(shim)
        .arg(source)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let output = Command::new(&program).output().unwrap();
    let value = |line: &str| {
        let (name, value) = line.split_once('=')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter_map(value)
        .collect()
}
