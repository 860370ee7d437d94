//! The programs of a session: the one that it began with, and each that was read from the changed file since. A state belongs to
//! the program that it was made of, which says what it has to compute and which sizes there are.

use super::action::{RevisionId, Sizes};
use super::files::{Text, Texts};
use super::state::Session;
use super::workspace::Workspace;
use std::sync::Arc;

/// A program that was read.
struct Read {
    /// Its first state, of which all others were made.
    root: RevisionId,
    workspace: Arc<Workspace>,
    /// The sizes that were given when it was left.
    sizes: Sizes,
}

/// All programs that were read, the last one last.
pub(super) struct Programs(Vec<Read>);

impl Programs {
    pub(super) fn beginning_with(workspace: Arc<Workspace>) -> Programs {
        Programs(vec![Read { root: 0, workspace, sizes: Sizes::default() }])
    }

    /// The same programs beside other files. A program that these do not fit keeps those that it had.
    pub(super) fn beside(&mut self, files: &[Text], but: RevisionId) {
        for read in self.0.iter_mut().filter(|read| read.root != but) {
            let texts = Texts { files: files.to_vec(), ..read.workspace.texts.clone() };
            if let Ok(workspace) = Workspace::load(&texts, read.workspace.def.as_deref()) {
                read.workspace = Arc::new(workspace);
            }
        }
    }

    fn of(&self, root: RevisionId) -> Option<&Read> {
        self.0.iter().find(|read| read.root == root)
    }

    fn of_mut(&mut self, root: RevisionId) -> Option<&mut Read> {
        self.0.iter_mut().find(|read| read.root == root)
    }
}

impl Session {
    /// The program that a state was made of, with the rules and strategies that hold now.
    pub fn program_of(&self, revision: RevisionId) -> &Arc<Workspace> {
        let read = self.programs.of(self.history.root(revision));
        read.filter(|read| read.root != self.history.root(self.current()))
            .map_or(&self.workspace, |read| &read.workspace)
    }

    /// The sizes at which a state is looked at: those that its program has now or had when it was left.
    pub(super) fn sizes_of(&self, revision: RevisionId) -> &Sizes {
        let root = self.history.root(revision);
        let away = self.programs.of(root).filter(|_| root != self.history.root(self.current()));
        away.map_or(&self.sizes, |read| &read.sizes)
    }

    /// Were both states made of the same program?
    pub fn are_of_one_program(&self, one: RevisionId, other: RevisionId) -> bool {
        self.history.root(one) == self.history.root(other)
    }

    /// Was the program read again after the one that the present state was made of?
    pub fn was_read_again(&self) -> bool {
        self.programs.0.last().is_some_and(|last| last.root != self.history.root(self.current()))
    }

    /// The texts of the program that was read last, which are those of its file then.
    pub fn last_read(&self) -> &Texts {
        let last = self.programs.0.last().map_or(0, |read| read.root);
        &self.program_of(last).texts
    }

    /// Goes to a state, and to the program that it was made of.
    pub(super) fn visit(&mut self, revision: RevisionId) {
        let (from, to) = (self.history.root(self.current()), self.history.root(revision));
        self.history.goto(revision);
        if from == to {
            return;
        }
        self.leave(from);
        if let Some(read) = self.programs.of(to) {
            (self.workspace, self.sizes) = (read.workspace.clone(), read.sizes.clone());
        }
    }

    /// Goes on with a program that was read now.
    pub(super) fn take_over(&mut self, workspace: Workspace, root: RevisionId) {
        let workspace = Arc::new(workspace);
        self.programs.0.push(Read { root, workspace: workspace.clone(), sizes: Sizes::default() });
        self.workspace = workspace;
        self.sizes.retain(|name, _| self.workspace.program.sizes.iter().any(|size| **size == **name));
    }

    /// Keeps what a program needs to be gone on with.
    pub(super) fn leave(&mut self, root: RevisionId) {
        if let Some(read) = self.programs.of_mut(root) {
            (read.workspace, read.sizes) = (self.workspace.clone(), self.sizes.clone());
        }
        self.give_up_graph();
        self.forget_kernels();
    }
}
