/** The style of the payment page; its hash stands in the page's policy. */
export const paymentPageStyle = `
:root{color-scheme:light dark;--back:#f7f7f5;--card:#fff;--text:#1c1b1a;--soft:#5f5d59;--line:#deddd9;--accent:#b3261e;--on-accent:#fff}
@media (prefers-color-scheme:dark){:root{--back:#161514;--card:#201f1d;--text:#efeeea;--soft:#a9a6a0;--line:#3a3835;--accent:#ff8a80;--on-accent:#2a0a07}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.6 system-ui,sans-serif}
main{max-width:40rem;margin:0 auto;padding:clamp(1rem,5vw,3rem) 1rem}
.kicker{margin:0;color:var(--soft);font-size:.875rem}
h1{margin:.25rem 0 1.5rem;font-size:clamp(1.25rem,5vw,1.75rem);line-height:1.25;overflow-wrap:anywhere}
section{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem}
h2{margin:0 0 1rem;font-size:2rem;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0 0 1rem}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
form{display:grid;gap:.5rem}
form[hidden]{display:none}
input,button{font:inherit;min-height:2.75rem;padding:.5rem .75rem;border-radius:.5rem}
input{width:100%;border:1px solid var(--soft);background:var(--back);color:var(--text)}
button{border:0;background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}
button:disabled{opacity:.6;cursor:default}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
#status{margin:.75rem 0 0;min-height:1.6em}
#receipt{color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font:.875rem/1.5 ui-monospace,monospace}
iframe{width:100%;height:70vh;border:0;background:#fff}
img,video,audio{max-width:100%}
`;
