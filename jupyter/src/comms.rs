//! Comms: lines between something in a front end and something in the kernel.
//!
//! Whoever opens a comm to `gpurepl.variables` is told the variables, now and after each cell. The
//! models of ipywidgets are comms of the kernel's (`widgets`), and who opens one to
//! `jupyter.widget.control` may ask for all of them. Cells open comms too, and name targets of
//! their own (`gpurepl_prelude::comm`), whose functions the worker has. A comm to anything else is closed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gpurepl_session::{CommAct, Setting, Variable};
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
    /// The functions of targets that cells have named.
    targets: BTreeMap<String, u64>,
    /// The comms that cells know: what they were opened to, and the function that hears them.
    of_cells: BTreeMap<String, (String, Option<u64>)>,
}

/// What a front end tells a cell about a comm.
#[derive(Debug)]
pub enum Told {
    /// It has opened one to a target that a cell has named.
    Opened {
        /// What it was opened to.
        target: String,
        /// The comm.
        name: String,
        /// What came with it.
        data: Map<String, Value>,
    },
    /// A message.
    Message {
        /// The comm.
        name: String,
        /// The message.
        data: Map<String, Value>,
    },
    /// It has closed the comm.
    Closed {
        /// The comm.
        name: String,
    },
}

impl Comms {
    /// What a message tells a cell's function, if it is one about a comm of a cell's. The function itself is found
    /// [in its turn](Comms::function): what was sent before may have named it by then.
    pub fn told(&mut self, message: &JupyterMessageContent) -> Option<Told> {
        match message {
            JupyterMessageContent::CommOpen(comm) if self.targets.contains_key(&comm.target_name) => {
                self.of_cells.insert(comm.comm_id.0.clone(), (comm.target_name.clone(), None));
                let (name, data) = (comm.comm_id.0.clone(), comm.data.clone());
                Some(Told::Opened { target: comm.target_name.clone(), name, data })
            }
            JupyterMessageContent::CommMsg(comm) if self.of_cells.contains_key(&comm.comm_id.0) => {
                Some(Told::Message { name: comm.comm_id.0.clone(), data: comm.data.clone() })
            }
            JupyterMessageContent::CommClose(comm) if self.of_cells.contains_key(&comm.comm_id.0) => {
                Some(Told::Closed { name: comm.comm_id.0.clone() })
            }
            _ => None,
        }
    }

    /// The function that is told, and what it is called with.
    pub fn function(&mut self, told: Told) -> Option<(u64, Vec<Setting>)> {
        let text = |data: Map<String, Value>| Setting::Text(Value::from(data).to_string());
        match told {
            Told::Opened { target, name, data } => {
                Some((*self.targets.get(&target)?, vec![Setting::Text(name), text(data)]))
            }
            Told::Message { name, data } => Some((self.of_cells.get(&name)?.1?, vec![text(data)])),
            Told::Closed { name } => Some((self.of_cells.remove(&name)?.1?, Vec::new())),
        }
    }

    /// Does what a cell wants of a comm. Returns what is said to front ends.
    ///
    /// # Errors
    ///
    /// If the data is not the JSON of an object, or the comm is not open.
    pub fn act(&mut self, act: CommAct) -> Result<Option<JupyterMessageContent>, String> {
        Ok(Some(match act {
            CommAct::Listen { target, function } => {
                self.targets.insert(target, function);
                return Ok(None);
            }
            CommAct::Hear { comm, function } => {
                self.known(&comm)?.1 = Some(function);
                return Ok(None);
            }
            CommAct::Open { comm, target, data } => {
                let data = object(&data)?;
                self.of_cells.insert(comm.clone(), (target.clone(), None));
                CommOpen { comm_id: CommId(comm), target_name: target, data, target_module: None }.into()
            }
            CommAct::Send { comm, data } => {
                let data = object(&data)?;
                self.known(&comm)?;
                CommMsg { comm_id: CommId(comm), data }.into()
            }
            CommAct::Close { comm, data } => {
                let data = object(&data)?;
                self.known(&comm)?;
                self.of_cells.remove(&comm);
                CommClose { comm_id: CommId(comm), data }.into()
            }
        }))
    }

    fn known(&mut self, comm: &str) -> Result<&mut (String, Option<u64>), String> {
        self.of_cells.get_mut(comm).ok_or_else(|| "the line is closed; open another one".to_owned())
    }

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
        let of_cells = self.of_cells.iter().filter(|(_, (target, _))| is_asked(target));
        let of_cells =
            of_cells.map(|(id, (target, _))| (CommId(id.clone()), CommInfo { target_name: target.clone() }));
        let comms: HashMap<_, _> = own.chain(models).chain(of_cells).collect();
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

fn object(text: &str) -> Result<Map<String, Value>, String> {
    let next = "give the JSON of an object, such as {\"value\": 3}";
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(format!("a message that is no object cannot be sent: {text}; {next}")),
        Err(error) => Err(format!("a message that is not JSON cannot be sent: {error}; {next}")),
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
    fn comms_of_cells_are_opened_heard_and_closed() {
        let mut comms = Comms::default();
        let data = |text: &str| text.to_owned();
        let name = || "c".to_owned();
        assert!(comms.act(CommAct::Send { comm: name(), data: data("{}") }).unwrap_err().contains("closed"));
        let open = CommAct::Open { comm: name(), target: "t".to_owned(), data: data("{\"a\": 1}") };
        let Ok(Some(JupyterMessageContent::CommOpen(opened))) = comms.act(open) else { panic!("it opens") };
        assert_eq!((opened.target_name.as_str(), &opened.data["a"]), ("t", &json!(1)));
        assert_eq!(comms.info(Some("t".to_owned()), &Widgets::default()).comms.len(), 1);
        let message = CommMsg { comm_id: CommId(name()), data: opened.data };
        let told = |comms: &mut Comms, message: JupyterMessageContent| {
            let told = comms.told(&message).unwrap();
            comms.function(told)
        };
        assert_eq!(told(&mut comms, message.clone().into()), None);
        assert!(matches!(comms.act(CommAct::Hear { comm: name(), function: 7 }), Ok(None)));
        let settings = vec![Setting::Text("{\"a\":1}".to_owned())];
        assert_eq!(told(&mut comms, message.into()), Some((7, settings)));
        for wrong in ["", "3", "{a: 1}"] {
            let problem = comms.act(CommAct::Send { comm: name(), data: data(wrong) }).unwrap_err();
            assert!(problem.contains("cannot be sent"), "{problem}");
        }
        assert!(matches!(
            comms.act(CommAct::Close { comm: name(), data: data("{}") }),
            Ok(Some(JupyterMessageContent::CommClose(_)))
        ));
        assert!(comms.info(None, &Widgets::default()).comms.is_empty());
    }

    #[test]
    fn a_target_of_a_cell_is_told_who_opens_it() {
        let mut comms = Comms::default();
        assert!(matches!(comms.act(CommAct::Listen { target: "t".to_owned(), function: 3 }), Ok(None)));
        let open = |target: &str| CommOpen {
            comm_id: CommId("front".to_owned()),
            target_name: target.to_owned(),
            data: Map::new(),
            target_module: None,
        };
        assert!(comms.told(&open("other").into()).is_none());
        let settings = vec![Setting::Text("front".to_owned()), Setting::Text("{}".to_owned())];
        let opened = comms.told(&open("t").into()).unwrap();
        assert_eq!(comms.function(opened), Some((3, settings)));
        // A message that comes before the function is named is heard in its turn.
        let front = || "front".to_owned();
        let message = CommMsg { comm_id: CommId(front()), data: Map::new() };
        let waiting = comms.told(&message.into()).unwrap();
        assert!(comms.act(CommAct::Hear { comm: front(), function: 9 }).is_ok());
        assert_eq!(comms.function(waiting), Some((9, vec![Setting::Text("{}".to_owned())])));
        assert!(comms.act(CommAct::Send { comm: front(), data: "{}".to_owned() }).is_ok());
        let close = CommClose { comm_id: CommId(front()), data: Map::new() };
        let closed = comms.told(&close.into()).unwrap();
        assert_eq!(comms.function(closed), Some((9, Vec::new())));
        assert!(comms.info(None, &Widgets::default()).comms.is_empty());
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
