import { describe, expect, it } from "vitest";
import { chat } from "#app/_languages/es/chat.ts";
import { saidIn } from "#app/(demo)/_chat/data/channel-news.ts";
import { samplePost } from "#tests/harness/sample-post.ts";

const file = (name: string, mimeType: string) => ({ id: name, name, mimeType, size: 1 });

describe("a post in words", () => {
  it("uses the post's text if there is one", () => {
    const metadata = { files: [file("hill.png", "image/png")] };
    expect(saidIn(samplePost("p", { message: "Look", metadata }))).toBe("Look");
  });

  it("uses the text between the asterisks of an action", () => {
    expect(saidIn(samplePost("p", { message: "*waves at *all**", type: "me" }))).toBe("waves at *all*");
    expect(saidIn(samplePost("p", { message: "sits", type: "me" }))).toBe("sits");
    expect(saidIn(samplePost("p", { message: "*waves*" }))).toBe("*waves*");
  });

  it("uses a program's attachments if the text is empty", () => {
    const card = {
      pretext: "For @bob",
      title: "Build",
      text: "It failed",
      fields: [{ value: "main" }, { value: 3 }],
    };
    const props = { attachments: [card, "nothing", null] };
    expect(saidIn(samplePost("p", { message: "", props }))).toBe("For @bob\nIt failed\nmain");
    expect(saidIn(samplePost("p", { message: "Look", props }))).toBe("Look");
  });

  it("uses the names of pictures and files if there is no text, in Spanish too", () => {
    const metadata = { files: [file("hill.png", "image/png"), file("paper.pdf", "application/pdf")] };
    expect(saidIn(samplePost("p", { message: " ", metadata }))).toBe("Picture: hill.png\npaper.pdf");
    expect(saidIn(samplePost("p", { message: "" }))).toBe("");
    expect(chat.pictureAlone?.("colina.png")).toBe("Imagen: colina.png");
  });
});
