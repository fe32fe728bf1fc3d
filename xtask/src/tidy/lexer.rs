//! Just enough of Rust's syntax to tell code from comments and text.

/// One source line, taken apart.
#[derive(Debug, Default)]
pub struct Line {
    /// The code, with the inside of strings left out.
    pub code: String,
    /// The comments.
    pub comment: String,
}

/// Takes `source` apart line by line.
pub fn lines(source: &str) -> Vec<Line> {
    let mut lines = vec![Line::default()];
    let mut state = State::Code;
    let chars: Vec<char> = source.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let rest = &chars[at..];
        if rest[0] == '\n' {
            if state == State::LineComment {
                state = State::Code;
            }
            lines.push(Line::default());
            at += 1;
            continue;
        }
        let line = lines.last_mut().expect("there is always a line");
        at += match state {
            State::Code => code(rest, &mut state, line),
            State::LineComment => {
                line.comment.push(rest[0]);
                1
            }
            State::BlockComment(depth) => match rest {
                ['*', '/', ..] => {
                    state = if depth > 1 {
                        State::BlockComment(depth - 1)
                    } else {
                        State::Code
                    };
                    2
                }
                ['/', '*', ..] => {
                    state = State::BlockComment(depth + 1);
                    2
                }
                _ => {
                    line.comment.push(rest[0]);
                    1
                }
            },
            State::Text => match rest {
                ['\\', next, ..] if *next != '\n' => 2,
                ['"', ..] => {
                    state = State::Code;
                    1
                }
                _ => 1,
            },
            State::RawText(hashes) => {
                let closes = rest[0] == '"'
                    && rest.len() > hashes
                    && rest[1..=hashes].iter().all(|hash| *hash == '#');
                if closes {
                    state = State::Code;
                    1 + hashes
                } else {
                    1
                }
            }
        };
    }
    lines
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    LineComment,
    BlockComment(usize),
    Text,
    RawText(usize),
}

/// Handles the start of `rest`, which is code, and says how many characters that took.
fn code(rest: &[char], state: &mut State, line: &mut Line) -> usize {
    match rest {
        ['/', '/', ..] => {
            *state = State::LineComment;
            2
        }
        ['/', '*', ..] => {
            *state = State::BlockComment(1);
            2
        }
        ['"', ..] => {
            *state = State::Text;
            line.code.push('"');
            1
        }
        ['r', next, ..] if (*next == '"' || *next == '#') && !ends_in_word(&line.code) => {
            let hashes = rest[1..].iter().take_while(|hash| **hash == '#').count();
            if rest.get(1 + hashes) == Some(&'"') {
                *state = State::RawText(hashes);
                line.code.push('"');
                2 + hashes
            } else {
                line.code.push('r');
                1
            }
        }
        // A character literal, which a lifetime is not.
        ['\'', '\\', _, ..] => {
            let close = rest[3..].iter().position(|next| *next == '\'').unwrap_or(0);
            4 + close
        }
        ['\'', _, '\'', ..] => 3,
        _ => {
            line.code.push(rest[0]);
            1
        }
    }
}

fn ends_in_word(code: &str) -> bool {
    // `br"…"` and `cr"…"` are raw strings too.
    let word: String = code
        .chars()
        .rev()
        .take_while(|next| next.is_alphanumeric() || *next == '_')
        .collect();
    !matches!(word.as_str(), "" | "b" | "c")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(source: &str) -> Vec<String> {
        lines(source)
            .into_iter()
            .map(|line| line.code.trim().to_owned())
            .collect()
    }

    #[test]
    fn comments_and_strings_are_not_code() {
        assert_eq!(code_of("let a = 1; // unsafe\nb"), ["let a = 1;", "b"]);
        assert_eq!(code_of("x(\"unsafe \\\" unsafe\") + 1"), ["x(\") + 1"]);
        assert_eq!(
            code_of("r#\"unsafe \" more\"# + br\"unsafe\""),
            ["\" + b\""]
        );
        assert_eq!(
            code_of("/* unsafe /* nested */\nstill */ code"),
            ["", "code"]
        );
        assert_eq!(code_of("'\"' + '\\'' + 'a + x"), ["+  + 'a + x"]);
    }

    #[test]
    fn comments_are_kept_as_such() {
        let all = lines("// SAFETY: why\nunsafe { x() }");
        assert_eq!(all[0].comment, " SAFETY: why");
        assert_eq!(all[1].code, "unsafe { x() }");
    }
}
