//! Which language a step is written in, as its folder's manifest says.

use std::path::Path;

/// A language that steps are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// A crate, compiled.
    Rust,
    /// One whose interpreter is in the component.
    Interpreted(Interpreted),
}

/// A language whose interpreter is in the component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpreted {
    /// A package of npm, run by QuickJS.
    TypeScript,
    /// A project in Python, run by CPython.
    Python,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 3] =
        [Self::Rust, Self::Interpreted(Interpreted::TypeScript), Self::Interpreted(Interpreted::Python)];

    /// The language of the step in this folder; none where there is no manifest.
    #[must_use]
    pub fn of(dir: &Path) -> Option<Self> {
        Self::ALL.into_iter().find(|language| dir.join(language.manifest()).is_file())
    }

    /// The file that says what a step is made of.
    #[must_use]
    pub const fn manifest(self) -> &'static str {
        match self {
            Self::Rust => "Cargo.toml",
            Self::Interpreted(Interpreted::TypeScript) => "package.json",
            Self::Interpreted(Interpreted::Python) => "pyproject.toml",
        }
    }

    /// The folder of a step's own source, from the step's folder. That of Python lies in the folder itself.
    #[must_use]
    pub const fn source(self) -> &'static str {
        match self {
            Self::Rust | Self::Interpreted(Interpreted::TypeScript) => "src",
            Self::Interpreted(Interpreted::Python) => ".",
        }
    }
}
