/**
 * The part of the payment page's script that makes elements of Markdown: `renderMarkdown(text)`. What it does not know
 * stays text, and of addresses only those of the web become links: nothing that was bought can run here.
 */
export const renderMarkdownScript = String.raw`
  const renderMarkdown = (() => {
    const inline = /(${"`"}+)(.+?)\1|\*\*(.+?)\*\*|\*(\S(?:.*?\S)?)\*|\[([^\]]*)\]\((https?:\/\/[^\s)]+)\)/;

    const element = (name, ...parts) => {
      const made = document.createElement(name);
      made.append(...parts);
      return made;
    };
    const spans = (text) => {
      const found = inline.exec(text);
      if (!found) return text === "" ? [] : [text];
      const [whole, , code, strong, em, label, address] = found;
      const made = code !== undefined ? element("code", code)
        : strong !== undefined ? element("strong", ...spans(strong))
        : em !== undefined ? element("em", ...spans(em))
        : element("a", label);
      if (address) Object.assign(made, { href: address, rel: "noreferrer noopener" });
      return [text.slice(0, found.index), made, ...spans(text.slice(found.index + whole.length))];
    };

    // Each kind of block: how its lines begin, and what they make.
    const kinds = [
      [/^#{1,6} /, (lines) => lines.map((line) => element(/^##? /.test(line) ? "h2" : "h3", ...spans(line.replace(/^#+ +/, ""))))],
      [/^> ?/, (lines) => [element("blockquote", ...blocks(lines.map((line) => line.replace(/^> ?/, ""))))]],
      [/^[-*+] /, (lines) => [element("ul", ...lines.map((line) => element("li", ...spans(line.slice(2)))))]],
      [/^\d+[.)] /, (lines) => [element("ol", ...lines.map((line) => element("li", ...spans(line.replace(/^\d+[.)] /, "")))))]],
      [/^(-{3,}|\*{3,})$/, () => [element("hr")]],
    ];
    const kindOf = (line) => kinds.find(([begins]) => begins.test(line));

    function blocks(lines) {
      const made = [];
      for (let at = 0; at < lines.length; ) {
        const from = at;
        const kind = kindOf(lines[at]);
        if (lines[at].trim() === "") at++;
        else if (/^${"`"}{3}/.test(lines[at])) {
          while (++at < lines.length && !/^${"`"}{3}/.test(lines[at]));
          made.push(element("pre", lines.slice(from + 1, at++).join("\n")));
        } else if (kind) {
          while (at < lines.length && kindOf(lines[at]) === kind) at++;
          made.push(...kind[1](lines.slice(from, at)));
        } else {
          while (++at < lines.length && lines[at].trim() !== "" && !kindOf(lines[at]));
          made.push(element("p", ...spans(lines.slice(from, at).join(" "))));
        }
      }
      return made;
    }

    return (text) => element("div", ...blocks(text.split(/\r?\n/)));
  })();
`;
