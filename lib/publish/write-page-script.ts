import { writeFileSync } from "node:fs";
import { pageScriptFile, pageScriptSource } from "./page-script.ts";

writeFileSync(pageScriptFile, await pageScriptSource());
