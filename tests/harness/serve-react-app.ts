import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { serveWeb, type WebServer } from "./serve-web.ts";

/**
 * Serves a page that shows the component `App` of a source in TSX, at an origin of its own. The source imports the
 * library from its folder.
 */
export async function serveReactApp(library: string, source: string): Promise<WebServer> {
  const folder = await mkdtemp(join(tmpdir(), "hivegate-react-"));
  try {
    await writeFile(join(folder, "app.tsx"), source);
    const { outputFiles } = await build({
      stdin: {
        contents: `
          import { createRoot } from "react-dom/client";
          import { App } from "./app.tsx";
          createRoot(document.getElementById("root")).render(<App />);`,
        resolveDir: folder,
        loader: "tsx",
      },
      alias: Object.fromEntries(
        ["react.js", "chat.js", "react.css"].map((file) => [
          `hivegate/${file.replace(/\.js$/, "")}`,
          join(library, file),
        ]),
      ),
      nodePaths: [join(process.cwd(), "node_modules")],
      bundle: true,
      write: false,
      outdir: folder,
      jsx: "automatic",
      define: { "process.env.NODE_ENV": '"production"' },
    });
    const textOf = (extension: string) =>
      outputFiles.find(({ path }) => path.endsWith(extension))?.text.replaceAll("</", "<\\/") ?? "";
    const page = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
      <title>App</title><style>${textOf(".css")}</style><main id="root"></main><script>${textOf(".js")}</script></html>`;
    return await serveWeb(
      () => new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
