// Iris at work, 2025: a small company whose app, Pigeon, follows parcels. The form is that of `home-talk.ts`.
export const projectTalk = `
# monday 2025-01-13T09:10
Iris: Claudine is the new boss, she took over from Piet this morning. @manager
Yusuf: She asked everyone what annoys them. I spoke for twenty minutes.
Iris: The password manager annoys me.
Yusuf: Noted on her list as well.
Assistant: Should I put her into the list of contacts?
Iris: Yes please. The store manager of the canteen also changes, it's a day of kings.

# blanks 2025-01-20T14:00
Yusuf: Parcels vanished when two couriers scanned at the same moment, a race in the ledger. @shipments
Iris: How many?
Yusuf: Thirty-one. All found again, in the second ledger.
Paola: The error page is pretty at least, I drew a pigeon in a hat.
Iris: Shipments from Poland come by boat this month, customs asked why.
Yusuf: Magicians disappear too, and nobody files a ticket.

# ship 2025-01-28T11:30
Yusuf: To ship: tag the commit, wait for green, press promote. That's all there is. @deploy
Iris: Where is that written down?
Yusuf: Here, now.
Iris: Then let me add it to the wiki.
Lars: The press release goes out on Thursday, don't deploy anything funny in it.
Yusuf: I never do funny.

# vault 2025-02-04T10:20
Iris: Where do I find the API keys for the map?
Yusuf: All keys and tokens sit in Vault under team/pigeon. @credentials
Iris: Thank you. And who can read them?
Yusuf: Four of us.
Paola: Your press credentials for the fair are at the front desk, Iris.
Iris: Where the sweets are stored, I know.

# rewrite 2025-02-11T15:00
Lars: The server is Go since the rewrite, only the scraper is still Python. @language
Iris: Do we want to port that too?
Lars: Not before the summer.
Paola: Which language are the mails in? We have no Polish version.
Iris: Good point, the backend of the mail tool knows only English.
Lars: It was written in a hurry.

# branch 2025-02-18T16:20
Iris: Who looks at my code while Lars is off?
Yusuf: I look over every branch of yours before it's merged. @review
Iris: You're a saint.
Yusuf: A slow one.
Lars: The film reviews say that the pigeon dies.
Paola: Pull yourself together, Lars, we have requests from real people here.

# lazy 2025-02-26T13:00
Iris: Startup fell from 1.9 s to 0.7 since we fetch pictures lazily. @speed
Yusuf: Wow. On the old Nokia too?
Iris: From nine to four.
Paola: My sketches load my bag, can I send them instead?
Yusuf: Our app store page needs new words by Monday.
Iris: I'm faster on a bike than on words.

# gpus 2025-03-05T09:30
Yusuf: AWS costs tripled because somebody left twelve GPU machines on. @cloud
Iris: Somebody?
Lars: Me. I wanted to train a pigeon.
Claudine: Switch them off, and tell me next time.
Paola: The cloud in the logo is too high, it looks like a hat.
Iris: Bill from accounting wants to see it in blue.

# frankfurt 2025-03-12T10:40
Iris: Everything persists in Postgres 16 on the cluster in Frankfurt. @database
Claudine: And if Frankfurt burns?
Yusuf: Then Dublin has it two seconds later. Snapshots are retained for thirty days. @backup
Claudine: Good. Put that in the paper for the bank.
Paola: My back is up against the wall with the icons, I need another week.
Iris: We can use the old ones.

# live 2025-03-19T11:00
Claudine: We go live with the tracker on 22 September, I've promised it to the board. @launch
Yusuf: All of it?
Claudine: Map, alerts and the courier view.
Iris: That's tight but it's possible.
Paola: The rocket launch is on TV at four, can we watch?
Claudine: The product is you working, so no. All right, yes.

# battery 2025-03-26T14:10
Yusuf: Users are unhappy that the map drains their battery. @complain
Iris: How many wrote in?
Yusuf: Forty since Monday.
Iris: I'll look at how often we ask for the position.
Paola: Customers in the shop window would be a nice picture for the home page.
Lars: I can't complain.

# sync 2025-04-02T09:00
Claudine: No more Thursday sync, I've dropped it for good. @meeting
Lars: Best day of my life.
Claudine: Write two lines in the channel instead.
Yusuf: The train strike is cancelled, so everyone can come on Tuesday.
Iris: The meeting point for the outing is the fountain.
Assistant: It's in all calendars.

# flaky 2025-04-10T15:45
Iris: courier_spec is flaky, it fails one run in ten. @unreliable
Yusuf: It hangs on the clock, I think.
Iris: I'll stop the clock then.
Paola: The eye test for the new palette is on Friday, bring your glasses.
Yusuf: The tram is unreliable on Fridays.
Iris: I'm on two wheels.

# notice 2025-04-24T17:00
Lars: I've handed in my notice, my last day is 30 June. @quit
Iris: Oh no. Where to?
Lars: A place with real pigeons. I'm serious, a farm.
Claudine: We'll miss you, and the jokes.
Yusuf: Quite a team we are, one by one to the farm.
Paola: I quit sugar today, by the way, it's awful.

# argon 2025-05-06T10:30
Yusuf: Login secrets are hashed with argon2id, as of today. @protect
Iris: And the old ones?
Yusuf: Rehashed at the next sign-in.
Claudine: Does the bank want more than that?
Yusuf: They want a form about how we protect the fish in the aquarium of the lobby.
Iris: Passwords on yellow notes are gone, I walked round and looked.

# mockups 2025-05-13T13:20
Paola: The mockups for the alerts are in the folder, all twelve screens. @designer
Claudine: Beautiful. Who else can do UX here?
Paola: Nobody, I'm alone.
Iris: A designer bag costs as much as my bike.
Yusuf: Which one, the stolen one?
Iris: Ha ha.

# march-numbers 2025-05-20T11:10
Claudine: We had 18,300 active accounts a month this spring, and 240 couriers. @users
Iris: That's double.
Claudine: The board will like it.
Lars: How many pigeons does it take to change a bulb?
Yusuf: People say fourteen.
Iris: Use the lift, all of you.

# fair 2025-05-27T18:00
Iris: The 7:14 from Piccadilly gets me to the conference in Leeds with ten minutes to spare. @train
Assistant: Seat booked, coach C.
Iris: I train for this all year.
Paola: Leave some stickers at the stand, the children love them.
Iris: I'll leave when the bag is full.
Claudine: Have fun, and don't sign anything.

# outage 2025-06-04T09:20
Yusuf: Yesterday's outage: production answered 503 for forty minutes because logs had filled the disk. @down
Claudine: How do we stop that?
Yusuf: Rotation, and an alarm at 80 percent.
Iris: I'll do the alarm.
Paola: The building site next door is down to the ground floor.
Lars: My website about farming is up, have a look.

# makeup 2025-06-11T14:30
Femke: Hello, I'm new. What do I type to get Pigeon going here?
Iris: Welcome! make up, then open port 8080, and mind the cookie banner. @local
Femke: It works!
Yusuf: That never happens.
Paola: The project room is locked after six, Femke, take the code from the sheet.
Claudine: Your new laptop is under your desk, it's the one without the sticker. I start at nine, by the way.
`
