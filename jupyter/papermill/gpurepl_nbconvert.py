"""Notebooks in Rust as scripts that gpurepl runs, for nbconvert.

`jupyter nbconvert --to script` asks for the exporter of the notebook's
language. This one writes the percent format: a line `// %%` before each cell,
without which the last expression of one cell would run into the next, and
texts between them as comments, as those of raw cells are.
"""

from nbconvert.exporters import TemplateExporter
from traitlets import default

__all__ = ["RustExporter"]

_TEMPLATE = """\
{%- extends 'null.j2' -%}
{% block input %}// %%
{{ cell.source }}

{% endblock input %}
{% block markdowncell scoped %}// %% [markdown]
{{ cell.source | comment_lines(prefix='// ') }}

{% endblock markdowncell %}
{% block rawcell scoped %}
{%- if cell.metadata.get('raw_mimetype', '').lower() in resources.get('raw_mimetypes', ['']) -%}
// %% [raw]
{{ cell.source | comment_lines(prefix='// ') }}

{% endif -%}
{% endblock rawcell %}
"""


class RustExporter(TemplateExporter):
    """Writes a script of cells."""

    export_from_notebook = "Rust"
    # The only type that templates for scripts support.
    output_mimetype = "text/plain"

    @default("file_extension")
    def _file_extension_default(self):
        return ".rs"

    @default("template_name")
    def _template_name_default(self):
        return "script"

    @default("raw_template")
    def _raw_template_default(self):
        return _TEMPLATE
