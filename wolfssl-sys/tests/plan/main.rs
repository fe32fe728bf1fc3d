//! The plan, without building anything: every feature on every kind of target,
//! the README's table, strictness, and that off is off.
#![allow(
    dead_code,
    reason = "the build script's modules, of which the plan is tested here"
)]

#[path = "../../build/content.rs"]
mod content;
#[path = "../../build/plan.rs"]
mod plan;
#[path = "../../build/request.rs"]
mod request;
#[path = "../../build/rules.rs"]
mod rules;

mod readme;
mod targets;

use std::collections::BTreeSet;

use plan::{Plan, Refusal};
use request::{CompilerKind, Facts, Feature, Request, Target};
use rules::Fate;
use targets::{TABLE, target};

const HOST: &str = "x86_64-unknown-linux-gnu";

/// What a plain compiler for the target would be found to be.
fn facts(target: &Target) -> Facts {
    Facts {
        compiler_kind: if target.is_msvc() {
            CompilerKind::Msvc
        } else {
            CompilerKind::Gnu
        },
        compiler: "a compiler".to_owned(),
        has_u128: target.pointer_width == 64 && !target.is_msvc(),
        cmake_version: "3.25.1".to_owned(),
    }
}

fn plan_for(triple: &str, features: &[Feature]) -> Plan {
    let target = target(triple);
    plan::plan(
        &Request::new(features),
        &target,
        &facts(&target),
        HOST,
        false,
    )
    .unwrap_or_else(|refusal| panic!("{triple}: {refusal:?}"))
}

#[test]
fn every_feature_on_every_target_meets_the_fate_of_the_table() {
    for (triple, fates) in TABLE {
        let plan = plan_for(triple, &Feature::ALL);
        for (feature, expected) in Feature::ALL.into_iter().zip(fates) {
            let fate = plan.fate(feature);
            let agrees = match (fate, *expected) {
                (Fate::On, "on") => true,
                (Fate::Ignored(reason), part) => part != "on" && reason.contains(part),
                _ => false,
            };
            assert!(
                agrees,
                "{triple} {}: {fate:?}, expected {expected}",
                feature.name()
            );
        }
    }
}

#[test]
fn targets_without_an_operating_system_are_refused() {
    for triple in [
        "thumbv7em-none-eabihf",
        "wasm32-unknown-unknown",
        "avr-none",
    ] {
        let target = target(triple);
        let refusal =
            plan::plan(&Request::new(&[]), &target, &facts(&target), HOST, false).unwrap_err();
        let Refusal::Target(text) = refusal else {
            panic!("{triple}: {refusal:?}")
        };
        assert!(text.contains(triple), "{text}");
    }
}

#[test]
fn strict_makes_an_ignored_request_an_error_that_names_feature_target_and_reason() {
    let target = target("i686-unknown-linux-gnu");
    let request = Request::new(&[Feature::U128]);
    let refusal = plan::plan(&request, &target, &facts(&target), HOST, true).unwrap_err();
    let Refusal::Feature(text) = refusal else {
        panic!("{refusal:?}")
    };
    for word in ["u128", "i686-unknown-linux-gnu", "128-bit"] {
        assert!(text.contains(word), "{text}");
    }
    // What was not asked for cannot be refused.
    assert!(
        plan::plan(
            &Request::new(&[Feature::Sp]),
            &target,
            &facts(&target),
            HOST,
            true
        )
        .is_ok()
    );
}

#[test]
fn a_compiler_without_the_type_leaves_u128_out_on_a_target_that_has_it() {
    let target = target("x86_64-unknown-linux-gnu");
    let facts = Facts {
        has_u128: false,
        ..facts(&target)
    };
    let plan = plan::plan(
        &Request::new(&[Feature::U128]),
        &target,
        &facts,
        HOST,
        false,
    )
    .unwrap();
    assert!(matches!(plan.fate(Feature::U128), Fate::Ignored(_)));
    assert!(plan.absent_macros.contains(&"HAVE___UINT128_T"));
}

#[test]
fn sp_asm_brings_sp_along() {
    let plan = plan_for("x86_64-unknown-linux-gnu", &[Feature::SpAsm]);
    assert_eq!(plan.fate(Feature::Sp), Fate::On);
    assert!(plan.macros.iter().any(|name| name == "WOLFSSL_HAVE_SP_ECC"));
}

#[test]
fn off_is_off_each_feature_alone_leaves_the_others_macros_absent() {
    for (triple, _) in TABLE {
        let nothing = plan_for(triple, &[]);
        for feature in Feature::ALL {
            assert_eq!(nothing.fate(feature), Fate::Off, "{triple}");
            let with = plan_for(triple, &[feature]);
            if with.fate(feature) != Fate::On {
                continue;
            }
            let added: BTreeSet<_> = with
                .macros
                .iter()
                .filter(|name| !nothing.macros.contains(name))
                .collect();
            assert!(
                !added.is_empty(),
                "{triple}: {} adds no macro",
                feature.name()
            );
            let guarded = added
                .iter()
                .any(|name| nothing.absent_macros.contains(&name.as_str()));
            assert!(
                guarded,
                "{triple}: without {} nothing proves its absence",
                feature.name()
            );
        }
    }
}

#[test]
fn a_macro_is_never_both_planned_and_forbidden() {
    for (triple, _) in TABLE {
        for wanted in subsets() {
            let plan = plan_for(triple, &wanted);
            for name in &plan.macros {
                assert!(
                    !plan.absent_macros.contains(&name.as_str()),
                    "{triple} {wanted:?}: {name}"
                );
            }
            for symbol in &plan.symbols {
                assert!(
                    !plan.absent_symbols.contains(symbol),
                    "{triple} {wanted:?}: {symbol}"
                );
            }
            let names: BTreeSet<_> = plan.options.iter().map(|(name, _)| name).collect();
            assert_eq!(
                names.len(),
                plan.options.len(),
                "{triple} {wanted:?}: an option is said twice"
            );
        }
    }
}

#[test]
fn protocol_content_does_not_depend_on_features_or_target() {
    let portable = plan_for("x86_64-unknown-linux-gnu", &[]);
    let speed = ["HAVE___UINT128_T", "WOLFSSL_FPECC"];
    for (triple, _) in TABLE {
        let full = plan_for(triple, &Feature::ALL);
        for option in &portable.options {
            if !speed.contains(&option.0) {
                assert!(full.options.contains(option), "{triple}: {option:?}");
            }
        }
        for name in content::MACROS {
            assert!(full.macros.iter().any(|of| of == name), "{triple}: {name}");
        }
    }
}

#[test]
fn the_assembly_that_upstream_leaves_out_comes_with_intelasm_only() {
    let source = "wolfcrypt/src/aes_x86_64_asm.S";
    let triple = "x86_64-unknown-linux-gnu";
    assert!(
        plan_for(triple, &[Feature::Intelasm])
            .extra_sources
            .contains(&source)
    );
    assert!(
        !plan_for(triple, &[Feature::SpAsm])
            .extra_sources
            .contains(&source)
    );
}

#[test]
fn cmake_is_told_the_machine_in_upstreams_own_words() {
    for (triple, system, processor) in [
        ("x86_64-unknown-linux-gnu", "Linux", "x86_64"),
        ("i686-unknown-linux-gnu", "Linux", "i686"),
        ("aarch64-unknown-linux-gnu", "Linux", "aarch64"),
        ("x86_64-unknown-freebsd", "FreeBSD", "x86_64"),
        ("aarch64-apple-darwin", "Darwin", "arm64"),
        ("aarch64-linux-android", "Android", "aarch64"),
        ("aarch64-pc-windows-msvc", "Windows", "arm64"),
        ("x86_64-pc-windows-msvc", "Windows", "AMD64"),
    ] {
        let plan = plan_for(triple, &[]);
        let cross_or_odd = triple != HOST;
        assert_eq!(plan.tell_system, cross_or_odd, "{triple}");
        assert_eq!(
            (plan.system_name, plan.processor.as_str()),
            (system, processor),
            "{triple}"
        );
    }
}

#[test]
fn the_readme_shows_the_same_table() {
    for (feature, triple, cell) in readme::cells() {
        let plan = plan_for(triple, &Feature::ALL);
        let feature = Feature::ALL.into_iter().find(|of| of.name() == feature);
        let feature = feature
            .unwrap_or_else(|| panic!("the README names an unknown feature in the row of {cell}"));
        let said = if cell.starts_with("on") {
            "on"
        } else {
            "ignored"
        };
        let fate = match plan.fate(feature) {
            Fate::On => "on",
            Fate::Ignored(_) => "ignored",
            Fate::Off => "off",
        };
        assert_eq!(
            fate,
            said,
            "README: {} on {triple} is `{cell}`",
            feature.name()
        );
    }
}

fn subsets() -> impl Iterator<Item = Vec<Feature>> {
    (0..1_u32 << Feature::ALL.len()).map(|bits| {
        let chosen = |(index, _): &(usize, Feature)| bits >> index & 1 == 1;
        Feature::ALL
            .into_iter()
            .enumerate()
            .filter(chosen)
            .map(|(_, feature)| feature)
            .collect()
    })
}
