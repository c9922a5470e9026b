//! Completion and hovers.

use gpurepl_wire::analysis::{Answer, Candidate, CandidateKind};
use ra_ap_hir::PrefixKind;
use ra_ap_ide::{
    CompletionConfig, CompletionFieldsToResolve, CompletionItem, CompletionItemKind, FilePosition, FileRange,
    HoverConfig, HoverDocFormat, RaFixtureConfig, SubstTyLen, SymbolKind, TextRange, TextSize,
};
use ra_ap_ide_db::imports::insert_use::{ImportGranularity, InsertUseConfig};

use crate::project::Project;

/// Candidates that are passed on, at most: more than anybody reads.
const MAX_CANDIDATES: usize = 500;

/// The ways to go on at a byte of the cell, which begins at `start` of the
/// project's text.
pub fn complete(project: &Project, start: usize, at: usize) -> anyhow::Result<Answer> {
    let position = FilePosition { file_id: project.file(), offset: size(start + at)? };
    let found = project.analysis().completions(&completion_config(), position, None);
    let items = found.map_err(|_| anyhow::anyhow!("cancelled"))?.unwrap_or_default();
    let word_start = items.first().map_or(start + at, |item| usize::from(item.source_range.start()));
    // Half a word of the code around the cell is none of the user's.
    if word_start < start {
        return Ok(Answer::Completions { start: u32::try_from(at)?, items: Vec::new() });
    }
    let word = project.text().get(word_start..start + at).unwrap_or_default();
    let mut matching: Vec<(bool, u32, Candidate)> = items
        .into_iter()
        .filter(|item| usize::from(item.source_range.start()) == word_start)
        .filter_map(|item| {
            let relevance = item.relevance.score();
            let candidate = candidate(item)?;
            let is_prefix = candidate.replacement.starts_with(word);
            let is_like = candidate.replacement.to_lowercase().starts_with(&word.to_lowercase());
            let is_ours = candidate.replacement.starts_with("__gr");
            (is_like && !is_ours).then_some((is_prefix, relevance, candidate))
        })
        .collect();
    if matching.iter().any(|(is_prefix, ..)| *is_prefix) {
        matching.retain(|(is_prefix, ..)| *is_prefix);
    }
    matching.sort_by(|(_, a, one), (_, b, other)| (b, &one.replacement).cmp(&(a, &other.replacement)));
    let mut seen = std::collections::HashSet::new();
    let mut items: Vec<Candidate> = matching.into_iter().map(|(.., candidate)| candidate).collect();
    items.retain(|candidate| seen.insert(candidate.replacement.clone()));
    items.truncate(MAX_CANDIDATES);
    Ok(Answer::Completions { start: u32::try_from(word_start - start)?, items })
}

/// What stands at a byte of the cell, in Markdown.
pub fn hover(project: &Project, start: usize, at: usize) -> anyhow::Result<Answer> {
    let mut offset = size(start + at)?;
    // At the end of a word its last character is asked about.
    let text = project.text();
    let ends_word = text[..start + at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_within = text[start + at..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if ends_word && !is_within {
        let width = text[..start + at].chars().next_back().map_or(0, char::len_utf8);
        offset -= size(width)?;
    }
    let config = HoverConfig {
        links_in_hover: false,
        memory_layout: None,
        documentation: true,
        keywords: true,
        format: HoverDocFormat::Markdown,
        max_trait_assoc_items_count: Some(8),
        max_fields_count: Some(12),
        max_enum_variants_count: Some(12),
        max_subst_ty_len: SubstTyLen::Unlimited,
        show_drop_glue: false,
        ra_fixture: RaFixtureConfig::default(),
    };
    let range = FileRange { file_id: project.file(), range: TextRange::empty(offset) };
    let found = project.analysis().hover(&config, range).map_err(|_| anyhow::anyhow!("cancelled"))?;
    Ok(Answer::Hover(found.map(|found| found.info.markup.as_str().to_owned())))
}

fn size(offset: usize) -> anyhow::Result<TextSize> {
    Ok(TextSize::from(u32::try_from(offset)?))
}

fn completion_config() -> CompletionConfig<'static> {
    CompletionConfig {
        enable_postfix_completions: false,
        enable_imports_on_the_fly: false,
        enable_self_on_the_fly: false,
        enable_auto_iter: false,
        enable_auto_await: false,
        enable_private_editable: false,
        enable_term_search: false,
        term_search_fuel: 0,
        full_function_signatures: false,
        callable: None,
        add_colons_to_module: false,
        add_semicolon_to_unit: false,
        snippet_cap: None,
        insert_use: InsertUseConfig {
            prefix_kind: PrefixKind::ByCrate,
            group: false,
            granularity: ImportGranularity::Item,
            enforce_granularity: false,
            skip_glob_imports: false,
        },
        prefer_no_std: false,
        prefer_prelude: true,
        prefer_absolute: false,
        snippets: Vec::new(),
        limit: None,
        fields_to_resolve: CompletionFieldsToResolve::empty(),
        exclude_flyimport: Vec::new(),
        exclude_traits: &[],
        ra_fixture: RaFixtureConfig::default(),
    }
}

/// A candidate, without what is a snippet or a mistake.
fn candidate(item: CompletionItem) -> Option<Candidate> {
    let kind = kind(item.kind)?;
    let mut edits = item.text_edit.iter();
    let replacement = edits.next()?.insert.clone();
    // An edit elsewhere, such as an import, is more than going on here.
    if edits.next().is_some() || replacement.is_empty() || replacement.contains(['\n', '$']) {
        return None;
    }
    let replacement = replacement.trim_end_matches(['(', ')', '{', '}', ' ']).to_owned();
    let right = item.label.detail_right;
    let detail = item.detail.or(right).unwrap_or_default();
    Some(Candidate { replacement, kind, detail })
}

fn kind(kind: CompletionItemKind) -> Option<CandidateKind> {
    use CandidateKind as Kind;
    Some(match kind {
        CompletionItemKind::SymbolKind(symbol) => match symbol {
            SymbolKind::Function => Kind::Function,
            SymbolKind::Method => Kind::Method,
            SymbolKind::Field => Kind::Field,
            SymbolKind::Struct
            | SymbolKind::Union
            | SymbolKind::TypeAlias
            | SymbolKind::TypeParam
            | SymbolKind::SelfType => Kind::Struct,
            SymbolKind::Enum => Kind::Enum,
            SymbolKind::Variant => Kind::Variant,
            SymbolKind::Trait => Kind::Trait,
            SymbolKind::Const | SymbolKind::ConstParam | SymbolKind::Static => Kind::Constant,
            SymbolKind::Module | SymbolKind::CrateRoot | SymbolKind::ToolModule => Kind::Module,
            SymbolKind::Macro
            | SymbolKind::ProcMacro
            | SymbolKind::Derive
            | SymbolKind::DeriveHelper
            | SymbolKind::Attribute
            | SymbolKind::BuiltinAttr => Kind::Macro,
            SymbolKind::Local | SymbolKind::SelfParam | SymbolKind::ValueParam => Kind::Variable,
            _ => return None,
        },
        CompletionItemKind::Binding => Kind::Variable,
        CompletionItemKind::BuiltinType => Kind::Struct,
        CompletionItemKind::Keyword => Kind::Keyword,
        _ => return None,
    })
}
