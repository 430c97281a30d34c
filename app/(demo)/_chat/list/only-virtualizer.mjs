// A loader for `virtua`, all of whose lists are in one file: Next's minifier drops a list that nothing imports, but
// keeps the code that it is made of. esbuild keeps what the one list of the chat needs.
import { build } from "esbuild";

export default async function onlyVirtualizer() {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { Virtualizer } from ${JSON.stringify(this.resourcePath)}`,
      resolveDir: this.context,
    },
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    packages: "external",
    write: false,
  });
  return outputFiles[0].text;
}
