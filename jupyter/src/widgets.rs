//! The controls of `interact` as ipywidgets' models: a front end that has ipywidgets draws them and
//! tells when one is moved.
//!
//! The messages are those of ipywidgets' `packages/schema/messages.md`, version 2.1, and the states
//! those of its `jupyterwidgetmodels.latest.md`. Six kinds of models are enough: a slider for
//! fractions, one for integers, a check box, a list, a line of text, and a box with what the
//! function shows. A figure whose axes move has two that are not seen: a line in which its script
//! asks for another picture, and a box of HTML in which this appears.

use std::collections::BTreeMap;

use gpurepl_session::{Control, ControlKind, Interaction, Setting};
use jupyter_protocol::{CommId, CommInfo, CommMsg, CommOpen, JupyterMessageContent};
use serde_json::{Map, Value, json};

/// What models are opened to.
pub const MODELS: &str = "jupyter.widget";
/// What front ends open to ask for all models.
pub const CONTROL: &str = "jupyter.widget.control";
/// What a cell shows of a model.
pub const VIEW: &str = "application/vnd.jupyter.widget-view+json";
/// The version of the messages, in their metadata.
pub const VERSION: &str = "2.1.0";

const CONTROLS: (&str, &str) = ("@jupyter-widgets/controls", "2.0.0");
const BASE: (&str, &str) = ("@jupyter-widgets/base", "2.0.0");
const OUTPUT: (&str, &str) = ("@jupyter-widgets/output", "1.0.0");

/// The most interactions whose controls are answered; the oldest go first.
const MOST: usize = 100;

/// All models that are open.
#[derive(Debug, Default)]
pub struct Widgets {
    /// Their states, by the numbers of their comms.
    models: BTreeMap<String, Map<String, Value>>,
    /// What has been shown, by its number: a function may be shown several times.
    open: BTreeMap<u64, Open>,
    /// How many models there have been.
    count: u64,
}

#[derive(Debug)]
struct Open {
    /// The function.
    id: u64,
    /// The models of the controls, in the order of the function's arguments.
    controls: Vec<String>,
    settings: Vec<Setting>,
    /// The model of the box with what the function shows.
    output: String,
    /// The model of the answers to a picture's script.
    answer: Option<String>,
    /// All models of this interaction.
    all: Vec<String>,
}

/// What a message about a model says.
#[derive(Debug)]
pub enum Heard {
    /// Nothing that needs an answer.
    Nothing,
    /// Something that is answered at once.
    Answer(JupyterMessageContent),
    /// A control of what was shown by this number was moved.
    Moved(u64),
}

impl Widgets {
    /// Whether a comm is that of a model.
    pub fn has(&self, comm: &CommId) -> bool {
        self.models.contains_key(&comm.0)
    }

    /// Opens the models of an interaction, whose function has shown something already. Returns the
    /// messages that open them and what a cell shows of them.
    pub fn open(
        &mut self,
        session: &str,
        interaction: &Interaction,
        outputs: Vec<Value>,
    ) -> (Vec<JupyterMessageContent>, Value) {
        if self.open.len() >= MOST
            && let Some((_, oldest)) = self.open.pop_first()
        {
            oldest.all.iter().for_each(|model| drop(self.models.remove(model)));
        }
        let mut maker = Maker { widgets: self, session, made: Vec::new() };
        let controls: Vec<String> =
            interaction.controls.iter().map(|control| maker.control(control)).collect();
        let output = maker.shown(OUTPUT, "Output", json!({ "msg_id": "", "outputs": outputs }));
        let children: Vec<Value> = controls.iter().chain([&output]).map(|model| reference(model)).collect();
        let view = interaction.controls.iter().find(|control| control.kind == ControlKind::View);
        let answer = view.map(|control| maker.answer(&control.name));
        let children: Vec<Value> =
            children.into_iter().chain(answer.iter().map(|model| reference(model))).collect();
        let own = json!({ "box_style": "", "children": children });
        let whole = match view {
            Some(control) => maker.hidden("VBox", own, &control.name),
            None => maker.shown(CONTROLS, "VBox", own),
        };
        let all = std::mem::take(&mut maker.made);
        let opening = all.iter().map(|model| {
            let mut data = Map::new();
            data.insert("state".to_owned(), self.models[model].clone().into());
            data.insert("buffer_paths".to_owned(), json!([]));
            let (comm_id, target_name) = (CommId(model.clone()), MODELS.to_owned());
            CommOpen { comm_id, target_name, data, target_module: None }.into()
        });
        let opening = opening.collect();
        let settings = interaction.controls.iter().map(Control::setting).collect();
        self.open.insert(self.count, Open { id: interaction.id, controls, settings, output, answer, all });
        (opening, json!({ "version_major": 2, "version_minor": 0, "model_id": whole }))
    }

    /// Hears what a front end says of a model.
    pub fn hear(&mut self, comm: &CommMsg) -> Heard {
        let id = &comm.comm_id.0;
        let Some(state) = self.models.get_mut(id) else { return Heard::Nothing };
        match comm.data.get("method").and_then(Value::as_str) {
            Some("request_state") => Heard::Answer(update(id, state.clone())),
            Some("update") => {
                let Some(Value::Object(changed)) = comm.data.get("state") else { return Heard::Nothing };
                state.extend(changed.clone());
                let found = self.open.iter_mut().find_map(|(number, open)| {
                    let control = open.controls.iter().position(|control| control == id)?;
                    Some((*number, &mut open.settings[control]))
                });
                let Some((number, setting)) = found else { return Heard::Nothing };
                match moved(setting, changed) {
                    Some(to) if to != *setting => {
                        *setting = to;
                        Heard::Moved(number)
                    }
                    _ => Heard::Nothing,
                }
            }
            _ => Heard::Nothing,
        }
    }

    /// Which function was shown by a number, and how its controls stand.
    pub fn settings(&self, number: u64) -> Option<(u64, Vec<Setting>)> {
        self.open.get(&number).map(|open| (open.id, open.settings.clone()))
    }

    /// Shows something else in the box below the controls.
    pub fn show(&mut self, number: u64, outputs: Vec<Value>) -> Option<JupyterMessageContent> {
        let open = self.open.get(&number)?;
        if let Some(answer) = &open.answer {
            let state = self.models.get_mut(answer)?;
            state.insert("value".to_owned(), answered(&outputs).into());
            let changed = Map::from_iter([("value".to_owned(), state["value"].clone())]);
            return Some(update(answer, changed));
        }
        let output = &open.output;
        let state = self.models.get_mut(output)?;
        state.insert("outputs".to_owned(), outputs.into());
        let changed = Map::from_iter([("outputs".to_owned(), state["outputs"].clone())]);
        Some(update(output, changed))
    }

    /// All models, for a front end that was not there when they were opened.
    pub fn states(&self, comm: &CommId) -> JupyterMessageContent {
        let of_model = |(id, state): (&String, &Map<String, Value>)| {
            let described = json!({
                "model_name": state["_model_name"], "model_module": state["_model_module"],
                "model_module_version": state["_model_module_version"], "state": state
            });
            (id.clone(), described)
        };
        let states: Map<String, Value> = self.models.iter().map(of_model).collect();
        let data = json!({ "method": "update_states", "states": states, "buffer_paths": [] });
        message(comm.clone(), data)
    }

    /// The comms of all models.
    pub fn comms(&self) -> impl Iterator<Item = (CommId, CommInfo)> {
        self.models.keys().map(|id| (CommId(id.clone()), CommInfo { target_name: MODELS.to_owned() }))
    }
}

/// Makes the models of one interaction.
struct Maker<'a> {
    widgets: &'a mut Widgets,
    session: &'a str,
    made: Vec<String>,
}

impl Maker<'_> {
    /// Adds a model of a kind, and returns its number.
    fn model(&mut self, (module, version): (&str, &str), name: &str, own: Value) -> String {
        self.widgets.count += 1;
        let id = format!("gpurepl-{}-model-{}", self.session, self.widgets.count);
        let mut state = json!({
            "_model_module": module, "_model_module_version": version, "_model_name": format!("{name}Model"),
            "_view_count": null, "_view_module": module, "_view_module_version": version
        });
        if let (Value::Object(state), Value::Object(own)) = (&mut state, own) {
            state.extend(own);
            self.widgets.models.insert(id.clone(), std::mem::take(state));
        }
        self.made.push(id.clone());
        id
    }

    /// Adds a model that is seen.
    fn shown(&mut self, module: (&str, &str), name: &str, own: Value) -> String {
        self.with_layout(module, name, own, json!({}), json!([]))
    }

    /// Adds a model that is in the page, by classes, and not seen.
    fn hidden(&mut self, name: &str, own: Value, class: &str) -> String {
        self.with_layout(CONTROLS, name, own, json!({ "display": "none" }), json!([class]))
    }

    fn with_layout(
        &mut self,
        module: (&str, &str),
        name: &str,
        mut own: Value,
        mut layout: Value,
        classes: Value,
    ) -> String {
        layout["_view_name"] = "LayoutView".into();
        let layout = self.model(BASE, "Layout", layout);
        own["layout"] = reference(&layout);
        own["_view_name"] = format!("{name}View").into();
        own["_dom_classes"] = classes;
        own["tabbable"] = Value::Null;
        own["tooltip"] = Value::Null;
        self.model(module, name, own)
    }

    /// Adds the box in which a picture's script finds answers.
    fn answer(&mut self, name: &str) -> String {
        let style = self.style("HTMLStyle");
        let own = json!({ "value": "", "description": "", "placeholder": "", "style": reference(&style) });
        self.hidden("HTML", own, &format!("{name}-answer"))
    }

    fn style(&mut self, name: &str) -> String {
        self.model(
            CONTROLS,
            name,
            json!({ "_view_name": "StyleView", "_view_module": BASE.0, "_view_module_version": BASE.1 }),
        )
    }

    fn control(&mut self, control: &Control) -> String {
        let (name, style, mut own) = match &control.kind {
            ControlKind::Slider { from, to, step, value, is_integer: true } => (
                "IntSlider",
                "SliderStyle",
                json!({
                    "min": *from as i64, "max": *to as i64, "step": (*step as i64).max(1), "value": *value as i64,
                    "readout_format": "d"
                }),
            ),
            ControlKind::Slider { from, to, step, value, .. } => (
                "FloatSlider",
                "SliderStyle",
                json!({ "min": from, "max": to, "step": step, "value": value, "readout_format": digits(*step) }),
            ),
            ControlKind::CheckBox { is_set } => {
                ("Checkbox", "CheckboxStyle", json!({ "value": is_set, "indent": true }))
            }
            ControlKind::List { options, index } => {
                ("Dropdown", "DescriptionStyle", json!({ "_options_labels": options, "index": index }))
            }
            ControlKind::Text { value } => {
                ("Text", "TextStyle", json!({ "value": value, "placeholder": "", "continuous_update": true }))
            }
            ControlKind::View => {
                let style = self.style("TextStyle");
                let own = json!({
                    "value": "", "placeholder": "", "continuous_update": false, "description": "",
                    "disabled": false, "style": reference(&style)
                });
                return self.hidden("Text", own, &format!("{}-ask", control.name));
            }
        };
        if name.ends_with("Slider") {
            own["behavior"] = "drag-tap".into();
            own["continuous_update"] = true.into();
            own["orientation"] = "horizontal".into();
            own["readout"] = true.into();
        }
        own["description"] = control.name.clone().into();
        own["description_allow_html"] = false.into();
        own["disabled"] = false.into();
        let style = self.style(style);
        own["style"] = reference(&style);
        self.shown(CONTROLS, name, own)
    }
}

/// As many digits after the point as a step has, as d3 writes it; of a step that has many, as many as
/// tell one from the next.
fn digits(step: f64) -> String {
    let written = format!("{step}");
    let digits = match written.split_once('.').map_or(0, |(_, digits)| digits.len()) {
        digits @ 0..=4 => digits.max(1),
        _ => (-step.log10().floor()).clamp(1.0, 12.0) as usize,
    };
    format!(".{digits}f")
}

/// How a state names another model.
fn reference(model: &str) -> Value {
    format!("IPY_MODEL_{model}").into()
}

/// Where a control was moved to, if the change says so.
fn moved(from: &Setting, changed: &Map<String, Value>) -> Option<Setting> {
    let value = changed.get("value");
    Some(match from {
        Setting::Number(_) => Setting::Number(value?.as_f64()?),
        Setting::Flag(_) => Setting::Flag(value?.as_bool()?),
        Setting::Choice(_) => Setting::Choice(usize::try_from(changed.get("index")?.as_u64()?).ok()?),
        Setting::Text(_) => Setting::Text(value?.as_str()?.to_owned()),
    })
}

/// What a picture's script is to find: the picture, or why there is none.
fn answered(outputs: &[Value]) -> String {
    let form = |output: &Value, form: &str| output["data"][form].as_str().map(str::to_owned);
    let picture = outputs.iter().find_map(|output| form(output, "image/svg+xml"));
    let said = || outputs.iter().find_map(|output| form(output, "text/plain"));
    let failed = || outputs.iter().find_map(|output| output["evalue"].as_str().map(str::to_owned));
    let in_html = |text: String| text.replace('&', "&amp;").replace('<', "&lt;");
    picture.unwrap_or_else(|| said().or_else(failed).map(in_html).unwrap_or_default())
}

fn update(model: &str, state: Map<String, Value>) -> JupyterMessageContent {
    message(CommId(model.to_owned()), json!({ "method": "update", "state": state, "buffer_paths": [] }))
}

fn message(comm_id: CommId, data: Value) -> JupyterMessageContent {
    let data = if let Value::Object(data) = data { data } else { Map::new() };
    CommMsg { comm_id, data }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened() -> (Widgets, Vec<JupyterMessageContent>, Value) {
        let control = |name: &str, kind| Control { name: name.to_owned(), kind };
        let slider = ControlKind::Slider { from: 0.0, to: 1.0, step: 0.01, value: 0.5, is_integer: false };
        let list = ControlKind::List { options: vec!["a".to_owned(), "b".to_owned()], index: 0 };
        let controls = vec![
            control("k", slider),
            control("set", ControlKind::CheckBox { is_set: true }),
            control("which", list),
        ];
        let mut widgets = Widgets::default();
        let (opening, view) =
            widgets.open("s", &Interaction { id: 7, controls }, vec![json!({ "output_type": "x" })]);
        (widgets, opening, view)
    }

    fn shown(widgets: &Widgets) -> &Open {
        widgets.open.values().next().unwrap()
    }

    fn says(widgets: &mut Widgets, model: &str, data: Value) -> Heard {
        let Value::Object(data) = data else { panic!("it is no object") };
        widgets.hear(&CommMsg { comm_id: CommId(model.to_owned()), data })
    }

    #[test]
    fn models_come_before_those_that_name_them() {
        let (widgets, opening, view) = opened();
        let mut known = Vec::new();
        for message in &opening {
            let JupyterMessageContent::CommOpen(open) = message else { panic!("it opens nothing") };
            assert_eq!(open.target_name, MODELS);
            let text = serde_json::to_string(&open.data).unwrap();
            for named in text.split("IPY_MODEL_").skip(1).map(|rest| rest.split('"').next().unwrap()) {
                assert!(known.contains(&named.to_owned()), "{named}");
            }
            known.push(open.comm_id.0.clone());
        }
        assert_eq!(view["model_id"], *known.last().unwrap());
        assert_eq!(widgets.comms().count(), known.len());
        let state = &widgets.models[&shown(&widgets).controls[0]];
        assert_eq!(
            (&state["_model_name"], &state["readout_format"]),
            (&json!("FloatSliderModel"), &json!(".2f"))
        );
    }

    #[test]
    fn a_control_that_is_moved_changes_its_setting_once() {
        let (mut widgets, ..) = opened();
        let (number, controls) = (*widgets.open.keys().next().unwrap(), shown(&widgets).controls.clone());
        let to = |value: Value| json!({ "method": "update", "state": value, "buffer_paths": [] });
        let moved = |heard| matches!(heard, Heard::Moved(moved) if moved == number);
        assert!(moved(says(&mut widgets, &controls[0], to(json!({ "value": 0.75 })))));
        assert!(
            !moved(says(&mut widgets, &controls[0], to(json!({ "value": 0.75 })))),
            "it is there already"
        );
        assert!(moved(says(&mut widgets, &controls[1], to(json!({ "value": false })))));
        assert!(moved(says(&mut widgets, &controls[2], to(json!({ "index": 1 })))));
        for strange in
            [json!({ "value": "far" }), json!({ "index": null }), json!({ "description": "other" })]
        {
            assert!(!moved(says(&mut widgets, &controls[2], to(strange))));
        }
        assert_eq!(
            widgets.settings(number).unwrap(),
            (7, vec![Setting::Number(0.75), Setting::Flag(false), Setting::Choice(1)])
        );
        assert!(matches!(says(&mut widgets, "another", to(json!({ "value": 1 }))), Heard::Nothing));
    }

    #[test]
    fn who_comes_later_is_told_all_states() {
        let (mut widgets, ..) = opened();
        let number = *widgets.open.keys().next().unwrap();
        assert!(widgets.show(number + 1, Vec::new()).is_none());
        assert!(widgets.show(number, vec![json!({ "output_type": "stream" })]).is_some());
        let JupyterMessageContent::CommMsg(told) = widgets.states(&CommId("c".to_owned())) else {
            panic!("it is no message");
        };
        let states = told.data["states"].as_object().unwrap();
        assert_eq!(states.len(), widgets.models.len());
        let output = &states[&shown(&widgets).output];
        assert_eq!(output["state"]["outputs"], json!([{ "output_type": "stream" }]));
        let slider = shown(&widgets).controls[0].clone();
        let heard = says(&mut widgets, &slider, json!({ "method": "request_state" }));
        assert!(matches!(heard, Heard::Answer(JupyterMessageContent::CommMsg(_))));
    }

    #[test]
    fn a_function_that_is_shown_twice_has_controls_twice() {
        let (mut widgets, ..) = opened();
        widgets.open("s", &Interaction { id: 7, controls: Vec::new() }, Vec::new());
        assert_eq!(widgets.open.values().map(|open| open.id).collect::<Vec<_>>(), [7, 7]);
        assert_eq!(
            [digits(0.25), digits(0.01), digits(2.0), digits(1.0 / 3.0)],
            [".2f", ".2f", ".1f", ".1f"]
        );
    }

    #[test]
    fn old_models_go() {
        let mut widgets = Widgets::default();
        for id in 0..150 {
            widgets.open("s", &Interaction { id, controls: Vec::new() }, Vec::new());
        }
        assert_eq!(widgets.open.len(), MOST);
        assert_eq!(widgets.models.len(), 4 * MOST);
    }
}
