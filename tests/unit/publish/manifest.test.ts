import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { libraryManifest, publicAddress, repositoryOf } from "../../../lib/publish/manifest.ts";

const app = {
  version: "1.2.3",
  license: "MIT",
  author: "Somebody",
  engines: { node: ">=20.9" },
  dependencies: { "@noble/curves": "1.0.0", "@noble/hashes": "1.0.0", undici: "7.0.0" },
};
const expected = {
  repository: { type: "git", url: "git+https://code.example.org/hive/gate.git" },
  homepage: "https://code.example.org/hive/gate#readme",
  bugs: { url: "https://code.example.org/hive/gate/issues" },
};

describe("the manifest of the library", () => {
  test.each([
    "https://code.example.org/hive/gate.git",
    "https://code.example.org/hive/gate",
    "https://code.example.org/hive/gate/\n",
    "git@code.example.org:hive/gate.git",
    "code.example.org:hive/gate",
    "ssh://git@code.example.org:2222/hive/gate.git",
    "git+https://code.example.org/hive/gate.git",
  ])("names repository, homepage and bugs of a clone of %j", (origin) => {
    expect(libraryManifest(app, ["index"], publicAddress(origin))).toMatchObject(expected);
  });

  test.each([
    ["no origin", ""],
    ["a folder", "/srv/git/gate.git"],
    ["a folder as an address", "file:///srv/git/gate.git"],
    ["a folder beside", "../gate"],
    ["a drive", "C:\\git\\gate"],
    ["a host of one's own network", "git@builder:hive/gate.git"],
    ["this machine", "https://git.localhost/hive/gate.git"],
    ["an IP address", "https://192.0.2.7/hive/gate.git"],
    ["a host without a path", "https://code.example.org/"],
  ])("names none of them for %s", (_, origin) => {
    const manifest = libraryManifest(app, ["index"], publicAddress(origin));
    for (const field of ["repository", "homepage", "bugs"]) expect(manifest).not.toHaveProperty(field);
  });

  test.each([
    ["git+https://code.example.org/hive/gate.git"],
    [{ type: "git", url: "https://code.example.org/hive/gate" }],
  ])(
    "takes the repository that the app's own manifest names, %j, wherever the folder was cloned from",
    (repository) => {
      const address = publicAddress(repositoryOf({ repository }, "/srv/git/gate.git"));
      expect(libraryManifest(app, ["index"], address)).toMatchObject(expected);
    },
  );

  test("takes where the folder was cloned from when the app's manifest names none", () => {
    expect(publicAddress(repositoryOf({}, "git@code.example.org:hive/gate.git"))).toEqual(expected);
  });

  test("tells nobody the name and the password that stand in an origin", () => {
    const word = fc.stringMatching(/^[a-z0-9]{12}$/);
    fc.assert(
      fc.property(word, word, (name, password) => {
        const address = publicAddress(`https://${name}:${password}@code.example.org/hive/gate.git`);
        expect(address).toEqual(expected);
      }),
    );
  });
});
