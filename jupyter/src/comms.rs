//! Comms: lines between something in a front end and something in the kernel.
//!
//! Whoever opens a comm to `gpurepl.variables` is told the variables, now and after each cell. The
//! models of ipywidgets are comms of the kernel's (`widgets`), and who opens one to
//! `jupyter.widget.control` may ask for all of them. A comm to anything else is closed.

use std::collections::{BTreeSet, HashMap};

use gpurepl_session::Variable;
use jupyter_protocol::{
    CommClose, CommId, CommInfo, CommInfoReply, CommMsg, CommOpen, JupyterMessageContent,
};
use serde_json::{Map, Value, json};

use crate::widgets::{CONTROL, Heard, MODELS, Widgets};

/// What comms can be opened to.
pub const VARIABLES: &str = "gpurepl.variables";

/// The comms that are open.
#[derive(Debug, Default)]
pub struct Comms {
    open: BTreeSet<String>,
    /// Those that ask for models.
    asking: BTreeSet<String>,
    variables: Vec<Variable>,
}

impl Comms {
    /// Opens a comm. Returns what to say to it.
    pub fn open(&mut self, comm: &CommOpen) -> Option<JupyterMessageContent> {
        if comm.target_name == CONTROL {
            self.asking.insert(comm.comm_id.0.clone());
            return None;
        }
        if comm.target_name != VARIABLES {
            let problem = format!("this kernel has no comm target `{}`", comm.target_name);
            return Some(closed(&comm.comm_id, &problem));
        }
        self.open.insert(comm.comm_id.0.clone());
        Some(self.state(&comm.comm_id))
    }

    /// Answers a message: with a model or all of them to who asks for these, else with the variables.
    pub fn message(&mut self, comm: &CommMsg, widgets: &mut Widgets) -> Option<JupyterMessageContent> {
        if widgets.has(&comm.comm_id) {
            return match widgets.hear(comm) {
                Heard::Answer(answer) => Some(answer),
                Heard::Nothing | Heard::Moved(_) => None,
            };
        }
        if self.asking.contains(&comm.comm_id.0) {
            let is_asked = comm.data.get("method").and_then(Value::as_str) == Some("request_states");
            return is_asked.then(|| widgets.states(&comm.comm_id));
        }
        if self.open.contains(&comm.comm_id.0) {
            Some(self.state(&comm.comm_id))
        } else {
            Some(closed(&comm.comm_id, "this comm is not open"))
        }
    }

    /// Closes a comm.
    pub fn close(&mut self, comm: &CommId) {
        self.open.remove(&comm.0);
        self.asking.remove(&comm.0);
    }

    /// The comms that are open, or those to one target.
    pub fn info(&self, target: Option<String>, widgets: &Widgets) -> CommInfoReply {
        let is_asked = |name: &str| target.as_ref().is_none_or(|target| target.is_empty() || target == name);
        let info = |id: &String| (CommId(id.clone()), CommInfo { target_name: VARIABLES.to_owned() });
        let own = self.open.iter().filter(|_| is_asked(VARIABLES)).map(info);
        let models = widgets.comms().filter(|_| is_asked(MODELS));
        let comms: HashMap<_, _> = own.chain(models).collect();
        CommInfoReply { comms, ..CommInfoReply::default() }
    }

    /// Records the variables. Returns what to send about them, if they
    /// are others than before.
    pub fn variables(&mut self, variables: Vec<Variable>) -> Vec<JupyterMessageContent> {
        if self.variables == variables {
            return Vec::new();
        }
        self.variables = variables;
        self.open.iter().map(|id| self.state(&CommId(id.clone()))).collect()
    }

    fn state(&self, comm: &CommId) -> JupyterMessageContent {
        let variable = |variable: &Variable| {
            json!({
                "name": variable.name, "type": variable.shown_type(),
                "is_mutable": variable.is_mutable, "cell": variable.number()
            })
        };
        let mut data = Map::new();
        data.insert("variables".to_owned(), self.variables.iter().map(variable).collect());
        CommMsg { comm_id: comm.clone(), data }.into()
    }
}

fn closed(comm: &CommId, problem: &str) -> JupyterMessageContent {
    let mut data = Map::new();
    data.insert("problem".to_owned(), Value::from(problem));
    CommClose { comm_id: comm.clone(), data }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(comms: &mut Comms, target: &str) -> JupyterMessageContent {
        let comm = CommOpen {
            comm_id: CommId("c".to_owned()),
            target_name: target.to_owned(),
            data: Map::new(),
            target_module: None,
        };
        comms.open(&comm).unwrap()
    }

    #[test]
    fn comms_to_nothing_are_closed() {
        let mut comms = Comms::default();
        assert!(matches!(open(&mut comms, "jupyter.widget"), JupyterMessageContent::CommClose(_)));
        assert!(comms.info(None, &Widgets::default()).comms.is_empty());
        let message = CommMsg { comm_id: CommId("c".to_owned()), data: Map::new() };
        assert!(matches!(
            comms.message(&message, &mut Widgets::default()),
            Some(JupyterMessageContent::CommClose(_))
        ));
    }

    #[test]
    fn variables_are_told_when_they_change() {
        let mut comms = Comms::default();
        assert!(matches!(open(&mut comms, VARIABLES), JupyterMessageContent::CommMsg(_)));
        assert_eq!(comms.info(Some(VARIABLES.to_owned()), &Widgets::default()).comms.len(), 1);
        assert_eq!(comms.info(Some("other".to_owned()), &Widgets::default()).comms.len(), 0);
        let variable =
            Variable { name: "a".to_owned(), type_name: "i32".to_owned(), is_mutable: false, cell: 1 };
        let told = comms.variables(vec![variable.clone()]);
        let JupyterMessageContent::CommMsg(message) = &told[0] else { panic!("it is no message") };
        assert_eq!(message.data["variables"][0]["type"], "i32");
        assert!(comms.variables(vec![variable]).is_empty());
        comms.close(&CommId("c".to_owned()));
        assert!(comms.variables(Vec::new()).is_empty());
    }
}
