// The first script of a chat page, which runs while the others are still loading. It is part of the page's HTML:
// `npm run opening` builds it into `opening-script.ts`.
import { OPENING, type Opening } from "./opening.ts";
import { requestEarly } from "./request-early.ts";
import { showKeptLook } from "./show-kept-look.ts";

const { dataset } = document.getElementById(OPENING) as HTMLElement;
requestEarly(JSON.parse(dataset[OPENING] ?? "") as Opening);
showKeptLook();
