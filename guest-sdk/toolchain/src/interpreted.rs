//! From a step in TypeScript or Python to a component, with the tools that its manifest names.
//!
//! Owns what is installed for it, and where: `node_modules` and `.venv` in the step's folder, as the language's own people have it. What
//! is there already is left alone while the manifest stays as it is. It refuses machines without Node.js and npm, or without Python, as a
//! [`BuildError`] that says what to install; it installs none of these itself.

use crate::language::Interpreted;
use crate::program::{Failed, on_path, run, shown};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest Python that builds a step.
const PYTHON_MIN: &str = "3.11";

/// Why a step can't be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A program is missing.
    #[error("building the step in {dir}: there is no {program} on the PATH; {remedy}")]
    Missing {
        /// The step's folder.
        dir: PathBuf,
        /// The program.
        program: &'static str,
        /// What to install.
        remedy: &'static str,
    },
    /// A tool has failed.
    #[error("building the step in {dir}")]
    Run {
        /// The step's folder.
        dir: PathBuf,
        /// Which, and how.
        source: Failed,
    },
    /// The manifest does not say what is needed.
    #[error(
        "building the step in {dir}: its pyproject.toml {what}; make a step with `onceward new --lang python` to see how it is written"
    )]
    Manifest {
        /// The step's folder.
        dir: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A file can't be read or written.
    #[error("building the step in {dir}: {path} can't be {what}")]
    File {
        /// The step's folder.
        dir: PathBuf,
        /// The file.
        path: PathBuf,
        /// What was to be done with it.
        what: &'static str,
        /// Why not.
        source: std::io::Error,
    },
}

/// Build the step in this folder into the file `out`. Each command line is told before it runs.
///
/// # Errors
/// [`BuildError`]. The file is as it was, then.
pub fn build(
    language: Interpreted,
    dir: &Path,
    out: &Path,
    say: &mut dyn FnMut(&str),
) -> Result<(), BuildError> {
    let out = std::path::absolute(out).map_err(|source| {
        let (dir, path) = (dir.to_owned(), out.to_owned());
        BuildError::File { dir, path, what: "found", source }
    })?;
    let mut step = Folder { dir, say };
    match language {
        Interpreted::TypeScript => step.with_npm(&out),
        Interpreted::Python => step.with_python(&out),
    }
}

struct Folder<'a> {
    dir: &'a Path,
    say: &'a mut dyn FnMut(&str),
}

impl Folder<'_> {
    fn with_npm(&mut self, out: &Path) -> Result<(), BuildError> {
        for program in ["node", "npm"] {
            self.needs(
                program,
                "install Node.js 18 or later, which brings npm (Debian: `apt-get install nodejs npm`)",
            )?;
        }
        let installed = self.dir.join("node_modules/.onceward-installed");
        let wanted = self.wanted(&["package.json", "package-lock.json"])?;
        if std::fs::read(&installed).ok().as_ref() != Some(&wanted) {
            // What the lock file says, where there is one.
            let verb = if self.dir.join("package-lock.json").is_file() { "ci" } else { "install" };
            self.run(Command::new("npm").args([verb, "--no-audit", "--no-fund"]))?;
            // It may have written the lock file.
            self.keep(&installed, &self.wanted(&["package.json", "package-lock.json"])?)?;
        }
        self.run(Command::new("npm").args(["run", "--silent", "build", "--", "--out"]).arg(out))
    }

    fn with_python(&mut self, out: &Path) -> Result<(), BuildError> {
        let manifest = self.manifest()?;
        let venv = self.dir.join(".venv");
        let python = venv.join("bin/python");
        let installed = venv.join("onceward-installed");
        let wanted = self.wanted(&["pyproject.toml"])?;
        if std::fs::read(&installed).ok().as_ref() != Some(&wanted) {
            self.needs(
                "python3",
                "install Python 3.11 or later (Debian: `apt-get install python3 python3-venv`)",
            )?;
            let asked =
                format!("import sys; sys.exit(sys.version_info < ({}))", PYTHON_MIN.replace('.', ", "));
            if run(Command::new("python3").args(["-c", &asked])).is_err() {
                return Err(BuildError::Missing {
                    dir: self.dir.to_owned(),
                    program: "python3 of 3.11 or later",
                    remedy: "an older one is there; install a newer one, and put it first on the PATH",
                });
            }
            if !python.is_file() {
                self.run(Command::new("python3").args(["-m", "venv", ".venv"]))?;
            }
            let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
            self.run(Command::new(".venv/bin/python").args(pip).args(&manifest.packages))?;
            self.keep(&installed, &wanted)?;
        }
        let program = Path::new(&manifest.sdk).join("build.py");
        self.run(Command::new(".venv/bin/python").arg(program).arg("--out").arg(out))
    }

    fn needs(&self, program: &'static str, remedy: &'static str) -> Result<(), BuildError> {
        match on_path(program) {
            Some(_) => Ok(()),
            None => Err(BuildError::Missing { dir: self.dir.to_owned(), program, remedy }),
        }
    }

    /// What these manifests say, one after the other. Where it is what was installed, nothing is to do.
    fn wanted(&self, names: &[&str]) -> Result<Vec<u8>, BuildError> {
        let mut wanted = Vec::new();
        for path in names.iter().map(|name| self.dir.join(name)) {
            match std::fs::read(&path) {
                Ok(bytes) => wanted.extend(bytes),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(source) => return Err(self.file(&path, "read", source)),
            }
        }
        Ok(wanted)
    }

    fn keep(&self, path: &Path, wanted: &[u8]) -> Result<(), BuildError> {
        std::fs::write(path, wanted).map_err(|source| self.file(path, "written", source))
    }

    fn file(&self, path: &Path, what: &'static str, source: std::io::Error) -> BuildError {
        BuildError::File { dir: self.dir.to_owned(), path: path.to_owned(), what, source }
    }

    /// In the step's folder. What a tool prints is progress.
    fn run(&mut self, command: &mut Command) -> Result<(), BuildError> {
        (self.say)(&shown(command));
        command.current_dir(self.dir).stdout(std::io::stderr());
        run(command).map_err(|source| BuildError::Run { dir: self.dir.to_owned(), source })
    }

    fn manifest(&self) -> Result<Manifest, BuildError> {
        let path = self.dir.join("pyproject.toml");
        let text = std::fs::read_to_string(&path).map_err(|source| self.file(&path, "read", source))?;
        Manifest::read(&text).map_err(|what| BuildError::Manifest { dir: self.dir.to_owned(), what })
    }
}

/// What a `pyproject.toml` says of a step.
#[derive(Debug, PartialEq, Eq)]
struct Manifest {
    /// Where the SDK is, from the step's folder.
    sdk: String,
    /// What is installed: the step's own dependencies, and what builds it (PEP 735).
    packages: Vec<String>,
}

impl Manifest {
    fn read(text: &str) -> Result<Self, String> {
        let table: toml::Table =
            text.parse().map_err(|error: toml::de::Error| format!("is no TOML ({})", error.message()))?;
        let at = |path: &[&str]| {
            let (first, rest) = path.split_first()?;
            rest.iter().try_fold(table.get(*first)?, |value, name| value.get(name))
        };
        let sdk = at(&["tool", "onceward", "sdk"]).and_then(toml::Value::as_str);
        let sdk = sdk.ok_or("does not say where the SDK is, as `sdk` in [tool.onceward]")?.to_owned();
        let mut packages = Vec::new();
        for path in [&["project", "dependencies"], &["dependency-groups", "build"]] {
            for package in at(path).and_then(toml::Value::as_array).into_iter().flatten() {
                let name =
                    package.as_str().ok_or_else(|| format!("has a {} that is no text", path.join(".")))?;
                packages.push(name.to_owned());
            }
        }
        if packages.is_empty() {
            return Err("names nothing to build with, as `build` in [dependency-groups]".to_owned());
        }
        Ok(Self { sdk, packages })
    }
}

#[cfg(test)]
mod tests {
    use super::Manifest;

    #[test]
    fn a_manifest_says_where_the_sdk_is_and_what_is_installed() {
        let text = "[project]\ndependencies = [\"a\"]\n[dependency-groups]\nbuild = [\"b==1\"]\n[tool.onceward]\nsdk = \"s\"";
        let read = Manifest::read(text).expect("a manifest");
        assert_eq!(read, Manifest { sdk: "s".to_owned(), packages: vec!["a".to_owned(), "b==1".to_owned()] });
    }

    #[test]
    fn what_is_missing_in_a_manifest_is_named() {
        for (text, said) in [
            ("[", "no TOML"),
            ("[dependency-groups]\nbuild = [\"b\"]", "[tool.onceward]"),
            ("[tool.onceward]\nsdk = \"s\"", "[dependency-groups]"),
            (
                "[tool.onceward]\nsdk = \"s\"\n[dependency-groups]\nbuild = [1]",
                "dependency-groups.build that is no text",
            ),
        ] {
            let told = Manifest::read(text).expect_err(text);
            assert!(told.contains(said), "{text}: {told}");
        }
    }
}
