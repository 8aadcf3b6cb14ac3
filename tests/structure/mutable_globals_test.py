#!/usr/bin/env python3
"""Plants variables in small trees: those that are no object's and may change must be found, and no others."""
import unittest

import mutable_globals
import planted_tree


def violations_of(text, listed=""):
    """The violations of a tree with one source of that text."""
    return planted_tree.violations_of(mutable_globals.check_tree, {"src/a.cc": text, mutable_globals.LIST: listed})


class MutableGlobalsTest(unittest.TestCase):
    def check_found(self, text, name):
        found = violations_of(text)
        self.assertEqual(len(found), 1, (text, found))
        self.assertIn(f"'{name}' may change", found[0])

    def check_clean(self, text):
        self.assertEqual(violations_of(text), [], text)

    def test_variables_of_namespaces(self):
        for declaration in ("int g_x;", "int g_x = 0;", "std::atomic<int64_t> g_x{0};", "static bool g_x = false;",
                            "Counters g_x;", "const char* g_x = nullptr;", "std::array<Slot, 8> g_x;",
                            "std::map<int, std::vector<int>> g_x = {{1, {2}}};", "struct sigaction g_x;",
                            "int g_x[3] = {1, 2, 3};", "constinit thread_local Cache* g_x = nullptr;",
                            "inline int g_x = 1;", "std::atomic<const char*> g_x{nullptr};"):
            self.check_found(f"namespace dfrun {{\nnamespace {{\n{declaration}\n}}\n}}\n", "g_x")
            self.check_found(declaration, "g_x")

    def test_static_variables_of_functions(self):
        for declaration in ("static int x = 0;", "static Mutex& x = *new Mutex();", "thread_local int x = -1;",
                            "static std::map<int, Gpu*>& x = *new std::map<int, Gpu*>();", "static auto x = Make();",
                            "static std::atomic<int> x{0};"):
            self.check_found(f"int F(int a) const {{\n  if (a) {{\n    {declaration}\n  }}\n  return 1;\n}}\n", "x")
            self.check_found(f"const auto f = [](int a) {{ {declaration} return x; }};\n", "x")

    def test_static_members(self):
        self.check_found("class A {\n public:\n  static int count_;\n};\n", "count_")
        self.check_found("struct A : B<int> {\n  inline static std::vector<int> all = {};\n};\n", "all")

    def test_what_does_not_change_or_is_an_objects(self):
        for text in ("constexpr int kX = 3;", "const std::string kX = \"a; b{\";", "const char* const kX = \"x\";",
                     "int F();", "int F(int a = 3);", "extern \"C\" {\nint F();\n}", "using A = int;", "class A;",
                     "enum class Kind { kA, kB = 3 };", "template <class T>\nconstexpr bool kIs = true;",
                     "class A {\n  int x_ = 0;\n  static constexpr int kX = 1;\n  static Status Make(int a);\n"
                     "  A() : x_(1) {}\n  A& operator=(const A&) = delete;\n  int F() { int y = 0; return y; }\n};",
                     "int F() {\n  static const std::map<int, int>& all = *new std::map<int, int>{{1, 2}};\n"
                     "  static const int x = 3;\n  int y = 2;\n  for (int i = 0; i < 3; ++i) y += i;\n  return y;\n}",
                     "Registry<int>& All() {\n  static Registry<int>& all = *new Registry<int>();\n  return all;\n}",
                     "// int g_x = 0;\n/* static int x; */\n#define G int g_x = 0\n",
                     "const int kKind = 0;",
                     "KERNEL(\"A\", B);", "[[maybe_unused]] static const Registration df_x(1, 2);",
                     "__extension__ using Wide = __int128;", "const Table kT[] = {\n    {1, \"a\"},\n    {2, \"b\"},\n};",
                     "namespace a = b::c;", "const char kText[] = R\"(int g_x = 0;)\";"):
            self.check_clean(text)

    def test_code_behind_values_is_code(self):
        self.check_found("const int kT[] = {1, 2};\nint g_x = 0;\nint F() { return 1; }\n", "g_x")
        self.check_found("class A {\n  int x_{0};\n};\nA g_x;\n", "g_x")

    def test_the_list(self):
        text = "int g_x = 0;\n"
        self.assertEqual(violations_of(text, "# why\nsrc/a.cc | g_x | a registry\n"), [])
        self.assertEqual(len(violations_of(text, "src/a.cc | g_x |\n")), 1)
        self.assertEqual(len(violations_of(text, "src/a.cc | g_x | why\nsrc/a.cc | g_y | why\n")), 1)


if __name__ == "__main__":
    unittest.main()
