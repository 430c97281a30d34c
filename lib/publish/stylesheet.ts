import { readFile, writeFile } from "node:fs/promises";
import { compile } from "tailwindcss";
import { darkColours, lightColours } from "../colours.ts";

/** The class of the element around every published component. */
const ROOT = ".hivegate-sign-in";

/**
 * Writes the styles of the published components to a file, and its declarations beside it: the app's styles, below one
 * class, so that they touch nothing else of a page. `sources` are the components' files.
 */
export async function writeStylesheet(sources: readonly string[], file: string): Promise<void> {
  const texts = await Promise.all(sources.map((source) => readFile(source, "utf8")));
  const compiled = await compile(await input(), {
    loadStylesheet: async (id, base) => {
      const path = `node_modules/${id}`;
      return { path, base, content: await readFile(path, "utf8") };
    },
  });
  // Words that are no utility have no style.
  await writeFile(file, compiled.build(texts.flatMap((text) => text.split(/[\s"'`]+/))));
  for (const extension of ["d.ts", "d.cts"]) await writeFile(`${file}.${extension}`, "export {};\n");
}

async function input(): Promise<string> {
  const [, theme = ""] = /^(@theme inline \{.*?^\})/ms.exec(await readFile("app/globals.css", "utf8")) ?? [];
  const reset = await readFile("node_modules/tailwindcss/preflight.css", "utf8");
  const colours = Object.entries(lightColours)
    .map(([name, light]) => {
      const dark = darkColours[name as keyof typeof lightColours];
      return `--${name}: var(--hivegate-${name}, light-dark(${light}, ${dark}));`;
    })
    .join("\n");
  return `
    @import "tailwindcss/theme.css" theme(inline);
    ${theme}
    ${ROOT} {
      ${colours}
      color: var(--ink);
    }
    /* The page's own rules for an element prevail over the reset. */
    :where(${ROOT}) { ${reset} }
    ${ROOT} {
      :focus-visible {
        outline: 2px solid var(--ring);
        outline-offset: 2px;
      }
      @tailwind utilities;
    }`;
}
