import type { Article } from "./article.ts";

export const theAnswerNobodyUsed: Article = {
  slug: "the-answer-nobody-used",
  title: "The answer nobody used",
  teaser:
    "Status 402 was reserved in the nineties and left lying for thirty years. Here is what it says today.",
  body: `Every web developer knows 404, and most have met 403 on a bad day. Between them sits 402, *Payment Required*, which the authors of HTTP put on the list in the nineties with the remark that it was reserved for future use. The future took its time. Without a way to move small sums between programs there was nothing for the number to say.

## A conversation in four lines

With a currency that programs can hold, the conversation becomes short enough to fit on a napkin.

1. A program asks for an article.
2. The server answers 402 and says what it wants: an amount, an account to pay, a network, and until when the offer stands.
3. The program signs a transfer, does **not** send it anywhere, and asks for the article again with the signed transfer in a header named \`x-payment\`.
4. The server has the transfer checked and put into a block, and answers 200 with the article.

No account was opened, no card was typed, no cookie was set. The same server that never met this client before has been paid by it, and can prove it: the receipt names a transaction that anybody can look up.

## Who talks to the chain?

A shop that sells recipes should not have to run a payment department. So the third step goes through a *facilitator*, a small service that does two things on request. It **verifies**: is this a proper transfer of the right amount to the right account, signed by enough of the right keys, by somebody who has the money? And it **settles**: it hands the transfer to the chain and waits for the block. It never holds anybody's money, because the transfer goes from payer to payee directly, and it can't change one, because it could not sign the result.

## The difficult parts

The friendly case takes an afternoon to program. The rest is about everything that may break.

*The same payment, twice.* Two copies of one header arrive at two servers in the same millisecond. Exactly one may be served, so the payment has to be claimed in one indivisible step before anything is sent.

*The lost answer.* The facilitator puts the transfer into a block, and then its answer is lost. The payer has paid. If the shop now said "payment failed", an eager client would sign a second transfer. The right answer is "not yet, ask again with the same payment".

*The wrong door.* A payment for the weather report must not open the annual accounts that happen to cost the same. The server therefore proposes a number to be written into the memo, and that number fits one address only.

## What it is good for

People will not approve a window for every paragraph, and nobody should want them to. But programs have no such patience to lose. An agent that needs one map tile, one translation, one answer from a database can pay for one, within a budget that its owner has set, and never come back. For that customer, the oldest unused number of the web turns out to be the right one.`,
};
