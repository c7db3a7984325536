//! What is installed from Debian's packages: the compiler for the target, and Node.js.
//!
//! Owns what is asked of apt, and as whom. It refuses machines without apt-get, or where nobody may use it: then it
//! says so and changes nothing. An apt-get that fails is an error, since by then the machine may be half changed.

use crate::command;
use onceward_toolchain::program;
use std::process::Command;

/// The compiler, its cargo, and the std source of the same version.
pub(crate) const COMPILER: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// Another apt may be at work, an unattended upgrade for one; five minutes see most of them through.
const LOCK_WAIT: &str = "DPkg::Lock::Timeout=300";

/// As whom the machine is changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hand {
    /// We are root, or the files are ours.
    Own,
    /// sudo works without a password.
    Sudo,
}

impl Hand {
    /// The hand that may change the machine, if there is one.
    pub(crate) fn find() -> Option<Self> {
        let user = Command::new("id").arg("-u").output().ok()?;
        if user.stdout.trim_ascii() == b"0" {
            return Some(Self::Own);
        }
        command::succeeds(Command::new("sudo").args(["-n", "true"])).then_some(Self::Sudo)
    }

    /// The program, run by this hand.
    pub(crate) fn command(self, program: &str) -> Command {
        match self {
            Self::Own => Command::new(program),
            Self::Sudo => {
                let mut command = Command::new("sudo");
                command.args(["-n", program]);
                command
            }
        }
    }
}

/// Whether apt can be used here: by whom, or why not.
pub(crate) fn usable() -> Result<Hand, String> {
    if program::on_path("apt-get").is_none() {
        return Err("there is no apt-get".to_owned());
    }
    Hand::find().ok_or_else(|| "we are not root, and sudo asks for a password".to_owned())
}

/// Have the packages installed, on behalf of a verb that says so. apt's progress goes to standard error.
pub(crate) fn install(hand: Hand, verb: &str, packages: &[&str]) -> anyhow::Result<()> {
    let named = packages.join(", ");
    if packages.iter().all(|package| is_installed(package)) {
        eprintln!("{verb}: {named} are installed already");
        return Ok(());
    }
    let mut words = vec!["install", "--yes", "--no-install-recommends"];
    words.extend(packages);
    if packages.iter().all(|package| is_known(package)) {
        eprintln!("{verb}: installing {named}");
        match apt(hand, &words) {
            Ok(()) => return Ok(()),
            // Lists that are too old name files that the mirror has dropped.
            Err(error) => eprintln!("{verb}: {error:#}; trying once more with new lists"),
        }
    }
    eprintln!("{verb}: updating apt's lists, then installing {named}");
    apt(hand, &["update"])?;
    apt(hand, &words)
}

fn apt(hand: Hand, words: &[&str]) -> anyhow::Result<()> {
    // Through env, because sudo does not hand our variables on.
    let mut apt = hand.command("env");
    apt.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", LOCK_WAIT]).args(words);
    // apt's words are progress, and standard output is for data.
    apt.stdout(std::io::stderr());
    command::run(&mut apt)
}

fn is_installed(package: &str) -> bool {
    let query =
        Command::new("dpkg-query").args(["--show", "--showformat=${db:Status-Status}", package]).output();
    query.is_ok_and(|query| query.stdout == b"installed")
}

fn is_known(package: &str) -> bool {
    command::succeeds(Command::new("apt-cache").args(["show", package]))
}
