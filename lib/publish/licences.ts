import { readFileSync } from "node:fs";

const read = (path: string) => readFileSync(path, "utf8");
const COPYRIGHT = /^Copyright .*$/gm;
const words = (text: string) => text.replace(COPYRIGHT, "").split(/\s+/).join(" ");

/** Returns the licence of the package and of the code that it holds. The text of our licence is there once. */
export function readLicences(): string {
  const own = read("LICENSE");
  const notice = (holding: string, path: string) => {
    const text = read(`node_modules/${path}`);
    return words(text) === words(own)
      ? `${holding}, under the same licence:\n${(text.match(COPYRIGHT) ?? []).join("\n")}\n`
      : `${holding}:\n\n${text}`;
  };
  return [
    own,
    "This package holds @cfworker/json-schema (https://github.com/cfworker/cfworker) by Jeremy Danyow, under the same licence.\n",
    notice("This package holds zod (https://zod.dev)", "zod/LICENSE"),
    notice("This package holds icons of Lucide (https://lucide.dev)", "lucide-react/LICENSE"),
    notice("This package holds clsx (https://github.com/lukeed/clsx)", "clsx/license"),
    notice("This package holds uqr (https://github.com/unjs/uqr)", "uqr/LICENSE"),
    notice("react.css holds styles of Tailwind CSS (https://tailwindcss.com)", "tailwindcss/LICENSE"),
  ].join("\n");
}
