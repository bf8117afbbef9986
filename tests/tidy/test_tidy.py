"""What is counted is counted rightly."""

import unittest

import modules
import tidy


class Counts(unittest.TestCase):
    def test_a_function_ends_at_its_own_brace(self):
        lines = ["impl A {", "    pub fn first(&self) {", "        if x {", "        }", "    }", "", "    fn second(", "        a: u8,", "    ) {", "    }", "}"]
        found = [(name, nth, len(body)) for name, nth, body in tidy.functions(lines)]
        self.assertEqual(found, [("first", 2, 4), ("second", 7, 4)])

    def test_modules_that_reach_each_other_are_a_circle(self):
        uses = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}
        self.assertEqual([set(circle) for circle in tidy.circles(uses)], [{"a", "b", "c"}])

    def test_a_module_names_what_it_uses_wherever_it_is_told_again(self):
        texts = {
            (): "pub use a::Kept;\npub struct Own;\nmod a;",
            ("a",): "use crate::{b::{self, Told as Other}, Own};\npub struct Kept;",
            ("b",): "use crate::Kept;\npub(in crate::b) struct Told;",
            ("b", "c"): "use super::Told;\nfn f(_: self::d::E, _: crate::a::Kept) {}",
            ("b", "c", "d"): "use std::fmt;",
        }
        self.assertEqual(modules.uses_of(texts), {
            (): set(), ("a",): {("b",), ()}, ("b",): {("a",)}, ("b", "c"): {("b",), ("b", "c", "d"), ("a",)}, ("b", "c", "d"): set(),
        })

    def test_a_module_is_named_by_itself_or_by_a_path(self):
        text = 'pub mod seen;\n#[path = "told_tests.rs"]\nmod tests;\nlet other = unseen::f;'
        self.assertEqual(tidy.named_modules(text), {"seen", "told_tests", "tests"})

    def test_a_tuple_of_parameters_is_seen_and_a_tuple_type_is_not(self):
        self.assertTrue(tidy.TUPLE.search("fn f(&self, (a, b): (u32, u32))"))
        self.assertFalse(tidy.TUPLE.search("fn f(pair: (u32, u32), x: u8)"))

    def test_a_comment_repeats_a_name_if_all_its_words_are_in_it(self):
        self.assertTrue(set(tidy.words("The file.")) <= set(tidy.words("file")))
        self.assertFalse(set(tidy.words("Bytes of a page.")) <= set(tidy.words("page_bytes_left".replace("bytes", "x"))))

    def test_more_than_the_least_is_wrong(self):
        self.assertEqual(len(tidy.check({"long-files": 3}, {"long-files": 2})) - len(tidy.check({"long-files": 2}, {"long-files": 2})), 1)

    def test_a_page_tells_what_each_crate_uses(self):
        found = {"drive/nvme": [], "bodies/sim": ["bodies/nand", "drive/nvme"]}
        page = "| `drive/nvme` | Formats. | |\n| `bodies/sim` | Time. | `nand` |\n| `rtl/` | Hardware. | |"
        told = tidy.with_arrows(page, found)
        self.assertEqual(told, "| `drive/nvme` | Formats. | nothing |\n| `bodies/sim` | Time. | `nand`, `nvme` |\n| `rtl/` | Hardware. | |")
        self.assertEqual(len(tidy.faults_of_the_page(page, found)), 2)
        self.assertEqual(tidy.faults_of_the_page(told, found), [])
        self.assertEqual(len(tidy.faults_of_the_page(told, {**found, "tools/cli": []})), 1)

    def test_a_small_crate_wants_a_reason(self):
        page = f"{tidy.REASONS}\n\n- `ground/small` is shared.\n\nThree remarks: `ground/other`"
        lines = {"ground/small": 10, "ground/other": 10, "examples/tiny": 10, "ground/large": 2000}
        found = tidy.small_crates_without_a_reason(page, lines)
        self.assertEqual([line.split(":")[0] for line in found], ["ground/other"])

    def test_a_first_page_has_its_length(self):
        self.assertEqual(len(tidy.too_long("README.md", 7169, tidy.MOST_BYTES)), 1)
        self.assertEqual(tidy.too_long("README.md", 7168, tidy.MOST_BYTES), [])

    def test_a_public_item_is_seen(self):
        text = "pub fn f() {}\n    pub const unsafe fn g() {}\npub(crate) fn h() {}\npub struct S;"
        self.assertEqual(tidy.PUBLIC.findall(text), ["f", "g", "S"])

    def test_an_arrow_to_a_higher_floor_is_seen(self):
        self.assertLess(tidy.floor_of("firmware"), tidy.floor_of("bodies/sim"))
        self.assertIsNone(tidy.floor_of("examples/tiny-firmware"))


if __name__ == "__main__":
    unittest.main()
