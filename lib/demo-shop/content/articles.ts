import type { Article } from "./article.ts";
import { oneKeyForEachJob } from "./one-key-for-each-job.ts";
import { theAnswerNobodyUsed } from "./the-answer-nobody-used.ts";
import { threeSecondsAndNoFee } from "./three-seconds-and-no-fee.ts";

/** The articles for sale, in the order of the list. */
export const articles: readonly Article[] = [threeSecondsAndNoFee, theAnswerNobodyUsed, oneKeyForEachJob];

/** What one of them costs. */
export const ARTICLE_PRICE = "0.050 HBD";
