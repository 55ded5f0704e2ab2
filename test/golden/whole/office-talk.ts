// Nell's work in 2025: a small team that sells tickets for ferries, its move to other servers, its new checkout, its hiring. The
// form is that of `house-talk.ts`.
export const officeTalk = `
# heroku 2025-03-06T10:00
Nell: Heroku put our price up again, 1,900 a month now. We move to Fly before the summer. @heroku
Marek: Finally. I'd start with the worker, nobody sees it when it breaks.
Sunita: And Postgres last, please.
Nell: Agreed. Marek writes the plan until Monday. @heroku
Assistant: I have noted the plan for Monday with Marek.
Sunita: Do we have a date for the new checkout yet?
Nell: Launch of the checkout is planned for 12 May. @launch

# pdf 2025-03-11T11:15
Nell: The ticket PDFs take four seconds each. That's pdfkit, isn't it? @pdf
Marek: pdfkit plus that font with all the Greek in it, yes.
Sunita: Could try Puppeteer, we render the page anyway.
Nell: Try it on a branch.
Assistant: Shall I open a ticket for it?
Nell: Yes, for Sunita.

# outage-one 2025-03-14T09:20
Nell: We were down from 6:40 to 7:25, the certificate of the payment host ran out. @outage @outagecause
Marek: I thought it renews itself.
Nell: So did I.
Sunita: I've put an alarm on it, fourteen days ahead.
Assistant: Shall I write the post-mortem from this talk?
Nell: Short one, please.

# ad 2025-03-18T10:30
Nell: The job ad for a backend developer is out, until 10 April. @hiring
Sunita: Did you leave out the ninja?
Nell: No ninjas, no rock stars. Salary is in it.
Marek: Puppeteer works but eats 600 MB per ticket, we can't run that. @pdf
Nell: Next idea?
Marek: Typst, maybe.
Nell: The name: we can't call it checkout forever. I suggest Gangway. @productname

# worker 2025-03-25T16:00
Marek: The worker runs on Fly since noon, queue is empty, nobody noticed. @moved @heroku
Nell: Well done.
Marek: The image service is next.
Sunita: The memory of the web app grows by 40 MB an hour, has anybody seen that? @leak
Nell: No. Restart it each night for now. @leak @leaktry
Sunita: That's not a fix.
Nell: It's a plaster.

# typst 2025-04-01T10:00
Marek: Typst makes a ticket in 90 milliseconds. No joke despite the date. @pdf
Nell: And the Greek font?
Marek: Works. Barcodes don't, there's no EAN in it.
Sunita: Barcodes as SVG then?
Marek: I'll try.
Nell: Name again, the others found Gangway too wet. Sunita suggests Quay. @productname

# images 2025-04-08T15:20
Marek: Image service is on Fly too, with its own volume. @moved @heroku
Sunita: Thumbnails were broken for ten minutes, my fault.
Nell: Seven applications so far, three of them good. @hiring
Assistant: The ad ends on Thursday.
Nell: Then we talk with the good ones the week after Easter.
Sunita: I took a heap snapshot, the leak is not in our own objects. @leak @leaktry

# outage-two 2025-04-16T08:45
Nell: Second outage of the spring, the queue stopped last night at 23:10, Redis was out of memory. @outage @outagecause
Marek: Somebody pushed 80,000 mails into it.
Sunita: The newsletter. Sorry.
Nell: It goes out in batches of 500 from now on.
Marek: Typst with SVG barcodes fails at print, the scanners on the pier can't read them.
Nell: So back to the drawing board.

# interviews 2025-04-23T17:00
Nell: We interviewed Tomasz Wilk today. Calm, knows Postgres inside out. @candidate @hiring
Sunita: And Grace Amadi in the morning, brilliant with queues, wants to work from Ghana. @candidate @hiring
Nell: Can we do that?
Assistant: The tax adviser should say that.
Marek: Launch on 12 May isn't realistic, the refunds don't work yet.
Nell: Then we say 2 June for the checkout. @launch

# api 2025-04-29T14:10
Marek: The public API is on Fly. Latency from Athens is down by a third. @moved @heroku
Nell: Nice!
Sunita: I upgraded the image library because of the memory, no change whatsoever. @leak @leaktry
Nell: We interviewed Pieter Bos, he talked for an hour without a comma. @candidate @hiring
Marek: No.
Nell: No.

# femi-interview 2025-05-06T16:30
Nell: Talked with Femi Adeola, she asked better questions than we did. @candidate @hiring
Sunita: I want her.
Marek: Me too, but let's see the others.
Nell: The last ones are on Thursday.
Nell: By the way, Quay is taken by a wine bar. Marek's idea is Boarding. @productname

# two-more 2025-05-08T17:20
Nell: Interviewed Lena Fuchs and she'd rather do design. @candidate @hiring
Nell: And Owen Price, who was forty minutes late and blamed the moon. @candidate @hiring
Sunita: The moon?!
Marek: pdf-lib does all of it by the way, barcodes included, 120 milliseconds. @pdf
Nell: Take pdf-lib.
Assistant: I have closed the ticket about the PDFs.

# flags 2025-05-12T10:20
Nell: Turned on the flag new-prices for everyone this morning. @flag
Sunita: No complaints so far.
Nell: And Femi gets an offer today, 58,000, from 16 June. @hiring
Marek: Fingers crossed.
Sunita: Bad news on memory: turning keep-alive off didn't help either. @leak @leaktry

# offer-femi 2025-05-15T11:00
Nell: Femi said yes!!! @hiring
Sunita: Cake.
Marek: The web app itself moved to Fly at five in the morning, with two minutes of maintenance page. @moved @heroku
Nell: You're a hero, go to bed.
Assistant: Only Postgres is left on the list.

# phish 2025-05-19T09:40
Sunita: I clicked on something stupid. A mail from "Fly billing", I typed my password. @phish
Nell: OK, no panic. Change it now and log out all sessions. @phish
Marek: I'm looking at the access log.
Assistant: Shall I note the time of the click?
Sunita: 9:12.
Marek: One login from Vilnius at 9:15, it got as far as the second factor and no further. @phish

# phish-two 2025-05-20T10:15
Nell: We turned every deploy token over night, in case. @phish
Marek: And hardware keys for all four of us are ordered. @phish
Sunita: I'll pay for the cake, again.
Nell: Nobody pays, it happens.
Nell: Conference: my talk about ferries and time zones was accepted, 3 July in Utrecht. @conference
Assistant: Congratulations! How long is the slot?
Nell: Twenty-five minutes.

# outage-three 2025-05-27T08:30
Nell: Down again on Monday, 35 minutes, a bad migration locked the bookings table. @outage @outagecause
Marek: Mine. I forgot the concurrently.
Nell: A linter for migrations, please.
Sunita: The leak!! It's the tracing library, it keeps every span of an aborted request. @leak
Marek: How did you see that?
Sunita: By turning off one thing at a time, like a monk.
Nell: We can't make 2 June with the refunds. New date for the checkout: 23 June. @launch

# postgres 2025-06-05T07:30
Marek: Postgres is over. Replica promoted at 4:02, last write on Heroku at 4:01. @moved @heroku
Nell: Data complete?
Marek: Counted all 61 tables, every row is there. @heroku
Sunita: I updated the tracing library and memory is flat for two days now. @leak @leaktry
Nell: You two are unbelievable.
Nell: Turned on the flag seat-map for staff, have a look. @flag

# slides 2025-06-10T11:00
Nell: First draft of my slides is done, forty of them, far too many. @conference
Sunita: Do the story with the ferry that arrives before it leaves.
Nell: That's the opening.
Marek: Heroku account is closed, the last invoice was 211. Fly costs 640 a month. @heroku
Nell: A third of the old price. I'll frame it.

# femi-first 2025-06-16T17:00
Nell: Femi's first day. She set up her laptop and fixed a typo in the readme. @onboarding
Femi: It was a good typo.
Nell: And the name is settled now, Femi said Hop On within five minutes. @productname
Marek: Three months for that.
Sunita: Hop On it is.
Femi: Is it normal that the tests take nineteen minutes?
Nell: Sadly.

# femi-second 2025-06-20T16:10
Femi: My first bug is fixed: children under four counted as dogs in the price. @onboarding
Sunita: Woof.
Nell: Turned on wallet-pass for iPhones today. @flag
Marek: The keys arrived, everyone has two, SMS codes are off. @phish
Nell: Checkout on Monday then. Ready?
Marek: As we'll ever be.

# one-percent 2025-06-23T18:00
Nell: Hop On is live for one percent of customers since ten. @rollout @checkout @launch
Sunita: 212 orders, two errors, both from one old Samsung.
Nell: I can live with that.
Femi: I watched the log the whole day, it's like an aquarium.
Nell: Rehearsed the talk with the team at lunch, it was 38 minutes. Cutting. @conference

# ten-percent 2025-06-26T17:30
Nell: Ten percent now. Conversion is up by four points. @rollout @checkout
Sunita: Aegean Lines complain that their logo is missing. @complaint @checkout
Nell: Fair.
Femi: I wrote the refund report, my first feature, it's in review. @onboarding
Marek: It's good, two small remarks.

# back 2025-06-30T19:10
Nell: We took Hop On back to zero this afternoon, cards from Norway were charged twice. @rollout @checkout
Marek: Found it, a retry without an idempotency key. @checkout
Nell: How many?
Sunita: Nineteen people. Fjordline complained, rightly so. @complaint @checkout
Nell: Refund all of them today and write to each. @checkout
Sunita: Done by six.

# utrecht-eve 2025-07-02T22:00
Nell: In Utrecht. The talk is down to 24 minutes, I did it in front of the hotel mirror. @conference
Assistant: How did the mirror like it?
Nell: It laughed at the right place.
Nell: Saw a keynote about databases on submarines today, fantastic. @seen
Assistant: And tomorrow is yours.

# utrecht 2025-07-03T21:30
Nell: Talk went well! Full room, and they laughed at the ferry that arrives before it leaves. @conference
Assistant: Questions?
Nell: Eleven, and one job offer, politely declined. @conference
Nell: Watched a woman explain CRDTs with knitting, best thing of the day. @seen
Nell: And a talk about accessibility of seat maps, we must do half of that. @seen

# utrecht-end 2025-07-04T19:00
Nell: Last one was on cold starts in WebAssembly, over my head but pretty. @seen
Assistant: Are you on the train already?
Nell: On the night boat, of course. I'm a professional.
Marek: Small thing, the site was down for eight minutes at noon, Fly lost a region. @outage
Nell: Did the other region take over?
Marek: Yes, but slowly.

# again 2025-07-08T17:15
Nell: Hop On is back at ten percent with the key in. No double charges. @rollout @checkout
Femi: I'm on call for the first time this week, wish me luck. @onboarding
Sunita: You'll be fine, ring me any time.
Nell: Isle Ferries complained that seniors can't find the discount. @complaint @checkout
Femi: I can move it up a step.
Nell: Please.

# half-of-all 2025-07-15T16:40
Nell: Fifty percent since this morning. @rollout @checkout
Sunita: Baltica complains about the Estonian translation, "hop on" became "jump up". @complaint
Nell: Oh no.
Femi: In their defence, it is funny.
Marek: Seat map is on for all customers now, by the way, the flag seat-map-public. @flag

# everyone 2025-07-22T18:00
Nell: Hop On for everyone, a hundred percent, and the old checkout is off. @rollout @checkout
Marek: Deleting 14,000 lines feels good.
Sunita: Conversion is 6.1 points up against spring. @checkout
Nell: Drinks are on me.
Femi: We had an outage at 14:05 though, three minutes, my deploy, a wrong port. @outage
Nell: Welcome to the club.
Sunita: And Skerry Boats complained that Apple Pay is gone. @complaint
Marek: It isn't gone, it's under More.
`
