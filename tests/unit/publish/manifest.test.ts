import { describe, expect, test } from "vitest";
import { libraryManifest } from "../../../lib/publish/manifest.ts";

const app = {
  version: "1.2.3",
  license: "MIT",
  author: "Somebody",
  engines: { node: ">=20.9" },
  dependencies: { "@noble/curves": "1.0.0", "@noble/hashes": "1.0.0", undici: "7.0.0" },
};
const source = "https://code.example.org/hive/gate";

describe("the library's manifest", () => {
  test("names repository, homepage and bugs if the source has a public address", () => {
    expect(libraryManifest(app, ["index"], source)).toMatchObject({
      repository: { type: "git", url: "git+https://code.example.org/hive/gate.git" },
      homepage: "https://code.example.org/hive/gate#readme",
      bugs: { url: "https://code.example.org/hive/gate/issues" },
    });
  });

  test("omits repository, homepage and bugs without a public address, and can still be published", () => {
    const manifest = libraryManifest(app, ["index"], null);
    for (const field of ["repository", "homepage", "bugs"]) expect(manifest).not.toHaveProperty(field);
    expect(manifest).not.toHaveProperty("scripts.prepublishOnly");
    expect(libraryManifest(app, ["index"], source)).not.toHaveProperty("scripts");
  });
});
