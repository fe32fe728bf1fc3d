//! Hellos with random damage, from fixed seeds: nothing panics, and what comes through is
//! whole.

mod support;

use support::configs;
use support::hello::{accept, framed, message_of, some_hello};
use support::random::Random;
use wolfssl::{Acceptor, ClientHello, Status};

/// Everything that can be asked of a hello.
fn ask_everything(hello: &ClientHello) -> usize {
    hello.server_name().map_or(0, str::len)
        + hello.alpn().map(<[u8]>::len).sum::<usize>()
        + hello.versions().len()
        + hello.cipher_suites().known().count()
        + hello.groups().known().count()
        + hello.signature_schemes().known().count()
        + hello
            .key_shares()
            .map(|(_, share)| share.len())
            .sum::<usize>()
        + hello.extensions().count()
        + hello.session_id().len()
        + format!("{hello:?}").len()
}

#[test]
fn mutated_hellos_never_panic_and_only_whole_ones_come_through() {
    let (_, server) = configs();
    let original = some_hello();
    let mut random = Random::new(0x00c1_1e27);
    let (mut accepted, mut refused, mut unfinished) = (0, 0, 0);
    for round in 0..30_000 {
        let mut bytes = match round % 3 {
            0 => original.clone(),
            1 => framed(message_of(&original), 1 + random.below(200)),
            _ => original[..random.below(original.len())].to_vec(),
        };
        for _ in 0..random.below(4) {
            mutate(&mut bytes, &mut random);
        }
        let mut acceptor = Acceptor::new();
        let mut rest = bytes.as_slice();
        let mut result = Ok(None);
        while !rest.is_empty() && matches!(result, Ok(None)) {
            let (mut piece, later) = rest.split_at(1 + random.below(rest.len()));
            result = acceptor.read_client_hello(&mut piece);
            rest = later;
        }
        match result {
            Ok(Some(hello)) => {
                accepted += 1;
                assert!(ask_everything(hello.client_hello()) > 0);
                let length = hello.client_hello().as_bytes().len();
                assert!(length <= 4 + Acceptor::MAX_CLIENT_HELLO);
                if round % 16 == 0 {
                    // wolfSSL may like it or not, but answers and ends.
                    let mut connection = hello.into_connection(&server).unwrap();
                    let mut output = Vec::new();
                    let status = connection.process(&mut &[][..], &mut output);
                    assert!(matches!(status, Ok(Status::WantsInput) | Err(_)));
                }
            }
            Ok(None) => unfinished += 1,
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(accepted > 5_000 && refused > 5_000 && unfinished > 1_000);
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    match random.below(6) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.byte(),
        2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
        3 => {
            bytes.remove(at);
        }
        4 => bytes.insert(at, random.byte()),
        _ => {
            let end = (at + random.below(64)).min(bytes.len());
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut random = Random::new(1);
    for _ in 0..20_000 {
        let mut bytes = (0..random.below(300))
            .map(|_| random.byte())
            .collect::<Vec<_>>();
        if random.one_in(2) && bytes.len() > 9 {
            bytes[..9].copy_from_slice(&[22, 3, 1, 0, 200, 1, 0, 0, 196]);
        }
        if let Ok(Some(hello)) = accept(&bytes) {
            ask_everything(hello.client_hello());
        }
    }
}
