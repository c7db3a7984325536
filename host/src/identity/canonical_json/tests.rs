//! Claims about reading and writing JSON, tried on random texts; single cases are in the shared vectors.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A value and the choices of how to spell it.
#[derive(Debug, Clone)]
enum Node {
    Plain(String),
    Integer(i128),
    Text(String),
    List(Vec<Node>),
    Members(Vec<(String, Node)>),
}

fn node() -> impl Strategy<Value = Node> {
    let text = prop_oneof![any::<String>(), "[ab\u{e000}\u{10000}\u{0}\"\\\\\u{1f}é]{0,3}"];
    let leaf = prop_oneof![
        prop_oneof![Just("null"), Just("true"), Just("false")].prop_map(|word| Node::Plain(word.to_owned())),
        any::<f64>()
            .prop_filter("a double that JSON can write", |double| double.is_finite() && !awkward(*double))
            .prop_map(|double| Node::Plain(format!("{double:e}"))),
        any::<i64>().prop_map(|integer| Node::Integer(integer.into())),
        any::<u64>().prop_map(|integer| Node::Integer(integer.into())),
        (-20i128..20).prop_map(Node::Integer),
        text.clone().prop_map(Node::Text),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Node::List),
            vec((text.clone(), inner), 0..5).prop_map(|mut members| {
                let mut seen = std::collections::BTreeSet::new();
                members.retain(|(name, _)| seen.insert(name.clone()));
                Node::Members(members)
            }),
        ]
    })
}

/// Whole doubles beyond 64 bits that ECMAScript writes as plain digits are refused by the reader.
fn awkward(double: f64) -> bool {
    double.fract() == 0.0 && (1e18..1e21).contains(&double.abs())
}

/// Writes a node with white space, member order, number spelling and escapes drawn from `dice`.
fn spell(node: &Node, dice: &mut dyn Iterator<Item = u8>, out: &mut String) {
    let mut roll = || dice.next().unwrap_or_default();
    let space = ["", " ", "\n\t", "\r "][usize::from(roll() % 4)];
    let choice = roll();
    out.push_str(space);
    match node {
        Node::Plain(text) => out.push_str(text),
        Node::Integer(integer) => out.push_str(&match choice % 5 {
            0 => format!("{integer}.0"),
            1 => format!("{integer}e0"),
            2 if *integer != 0 => format!("{integer}000E-3"),
            3 if *integer == 0 => "-0.0e5".to_owned(),
            _ => integer.to_string(),
        }),
        Node::Text(text) => spell_text(text, choice, out),
        Node::List(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                spell(element, dice, out);
            }
            out.push(']');
        }
        Node::Members(members) => {
            let mut members: Vec<_> = members.iter().collect();
            let turn = usize::from(choice) % members.len().max(1);
            members.rotate_left(turn);
            out.push('{');
            for (index, (name, member)) in members.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                spell_text(name, choice, out);
                out.push_str(space);
                out.push(':');
                spell(member, dice, out);
            }
            out.push('}');
        }
    }
    out.push_str(space);
}

fn spell_text(text: &str, choice: u8, out: &mut String) {
    if choice.is_multiple_of(2) {
        out.push_str(&serde_json::to_string(text).expect("a string"));
    } else {
        let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
        out.push_str(&format!("\"{units}\""));
    }
}

fn spelled(node: &Node, dice: Vec<u8>) -> String {
    let mut text = String::new();
    spell(node, &mut dice.into_iter().cycle().take(10_000), &mut text);
    text
}

/// Texts of JSON's own pieces in any order.
const JSON_LIKE: &str = "([\\[\\]{},:\"\\\\ \n0-9.eE+-]|null|true|\"a\"|\"b\":|\\\\u00e9|[^ -~]){0,12}";

proptest! {
    // A failure prints its smallest case; it belongs into the vectors, not into a file of seeds.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spelling_does_not_matter_and_canonical_text_is_a_fixpoint(
        node in node(), one: Vec<u8>, other: Vec<u8>,
    ) {
        let first = parse(&spelled(&node, one))?;
        let second = parse(&spelled(&node, other))?;
        prop_assert_eq!(&first, &second);
        let text = canonical(&first);
        prop_assert_eq!(&text, &canonical(&second));
        let again = parse(&text)?;
        prop_assert_eq!(&again, &first);
        prop_assert_eq!(canonical(&again), text);
    }

    #[test]
    fn different_values_have_different_texts(left in node(), right in node()) {
        let (left, right) = (parse(&spelled(&left, vec![4]))?, parse(&spelled(&right, vec![4]))?);
        prop_assert_eq!(left == right, canonical(&left) == canonical(&right));
    }

    #[test]
    fn integers_are_never_rounded(integer: i128) {
        for integer in [integer, integer % (1 << 66), integer % (1 << 54)] {
            let fits = i64::try_from(integer).is_ok() || u64::try_from(integer).is_ok();
            let read = parse(&integer.to_string());
            let read = read.map(|value| canonical(&value)).map_err(|error| error.code());
            let expected = if fits { Ok(integer.to_string()) } else { Err("integer-too-large") };
            prop_assert_eq!(read, expected);
        }
    }

    #[test]
    fn the_reader_takes_what_another_reader_takes(text in JSON_LIKE) {
        let other = serde_json::from_str::<Value>(&text);
        match parse(&text) {
            Ok(value) => prop_assert!(other.is_ok(), "{:?} was read as {}", text, value),
            Err(JsonError::Syntax { .. }) => prop_assert!(other.is_err(), "{:?} was refused", text),
            Err(_) => {}
        }
    }

    #[test]
    fn a_damaged_text_never_panics(node in node(), cut: prop::sample::Index, put: char) {
        let mut text = spelled(&node, vec![4]);
        let at = cut.get(&text.char_indices().map(|(at, _)| at).collect::<Vec<_>>()).to_owned();
        text.insert(at, put);
        prop_assert_eq!(parse(&text).is_ok_and(|value| canonical(&value).is_empty()), false);
        text.truncate(at);
        prop_assert_eq!(parse(&text).is_ok_and(|value| canonical(&value).is_empty()), false);
    }
}

/// RFC 8785, appendix B: bits of a double and its text.
#[test]
fn doubles_are_written_as_ecmascript_writes_them() {
    for (bits, expected) in [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] {
        assert_eq!(canonical(&json!(f64::from_bits(bits))), expected, "{bits:016x}");
    }
}

#[test]
fn a_refusal_names_the_place() {
    let big = "18446744073709551616";
    for (text, place) in [
        (r#"[[1], {"a": 1}, {"b/c": {"d~": [0, {"e": 1, "e": 2}]}}]"#.to_owned(), "`/2/b~1c/d~0/1/e`"),
        (format!(r#"{{"a": {{"x": [1, 2]}}, "b": [[], {{}}, {big}]}}"#), "`/b/2`"),
        (format!("[{}, 1e999]", vec!["{}"; 200].join(",")), "`/200`"),
        (format!("[\n\"é\", {}x]", "[".repeat(3)), "line 2, column 9"),
    ] {
        let error = parse(&text).expect_err(&text);
        assert!(error.to_string().contains(place), "`{error}` should say {place}");
    }
}
