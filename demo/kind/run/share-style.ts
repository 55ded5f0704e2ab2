// The style of a run in one HTML file: both schemes, for the screen and for paper.

export const shareStyle = `
:root{color-scheme:light dark;--page:light-dark(#fff,#171a1f);--sunk:light-dark(#f4f5f7,#111317);--line:light-dark(#e1e4e9,#282d35);
--text:light-dark(#181b20,#e5e8ed);--faint:light-dark(#565e69,#a9b1bd);--accent:light-dark(#2f4bb8,#9cb1ff);--bad:light-dark(#a92f1b,#ff9c88);--warn:light-dark(#fdf4e1,#332812)}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px 16px;max-width:1200px;background:var(--page);color:var(--text);font:14px/1.5 system-ui,sans-serif}
h1{margin:0 0 8px;font-size:20px;overflow-wrap:anywhere}
h2{margin:24px 0 8px;font-size:15px}
h3{margin:8px 0 4px;font-size:12px;color:var(--faint)}
a{color:var(--accent)}
code,pre{font:12px/1.5 ui-monospace,Menlo,Consolas,monospace}
pre{margin:0;padding:8px;background:var(--sunk);border:1px solid var(--line);border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere}
.note{margin:8px 0;padding:8px 12px;background:var(--warn);border:1px solid var(--line);border-radius:6px}
.faint{color:var(--faint)}
.bad{color:var(--bad)}
dl{display:flex;flex-wrap:wrap;gap:8px 24px;margin:0}
dt{font-size:12px;color:var(--faint)}
dd{margin:0}
table{border-collapse:collapse}
th,td{padding:4px 16px 4px 0;text-align:start;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
.number{text-align:end;white-space:nowrap}
ol{margin:0;padding:0;list-style:none}
.steps>li{border-top:1px solid var(--line)}
.steps>li:target{outline:2px solid var(--accent)}
summary{display:grid;grid-template-columns:48px minmax(0,1fr) 88px 96px 64px 24%;gap:8px;padding:4px 0;cursor:pointer}
summary .n::before{content:'▸ '}
details[open] .n::before{content:'▾ '}
summary:hover{background:var(--sunk)}
.words{padding-inline-start:calc(var(--level,0)*16px);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
details[open] .words{white-space:normal;overflow-wrap:anywhere}
.line{position:relative;align-self:center;height:10px;background:var(--sunk);border-radius:2px}
.line i{position:absolute;top:1px;height:8px;min-width:2px;border:1px solid var(--accent);background:var(--accent);border-radius:2px}
.line .most{background:none}
.line .failed{border-color:var(--bad);background:var(--bad)}
.line .most.failed{background:none}
.body{padding:0 0 12px 48px}
@media (max-width:700px){summary{grid-template-columns:44px minmax(0,1fr) 80px}.tokens,.cost,.line{display:none}.body{padding-inline-start:0}}
@media print{summary{break-inside:avoid}}
`
