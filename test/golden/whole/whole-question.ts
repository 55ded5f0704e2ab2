// Questions that one record does not answer: lists, orders and summaries of what was said in several sessions. A line is a
// number, a sort, the word that marks the records of the answer in the talks (`@word`; all of them, in the order of time), and the
// question. Odd numbers are fitted, even ones held out: the rule was fixed before anything was measured, and no subject is in both
// halves. A record belongs to an answer if it gives an item or a step of it; a reply that repeats one does not.
export const wholeLines = `
1 list ate List every restaurant we tried.
2 list dentist How many times did I go to the dentist this year?
3 list read Which books did I read for the book club?
4 list film What films have we watched at home?
5 list cancelled Which subscriptions and memberships have I cancelled?
6 list gift List all the presents that I got for Ada's birthday.
7 list planted Everything I planted or sowed this year, please.
8 list flat Which flats did we look at for Mum?
9 list outage How many outages did we have, and when?
10 list candidate Name all the candidates that we interviewed.
11 list pdf Which libraries did we try for the ticket PDFs?
12 list migraine On which days did I have a migraine?
13 list lost What did we lose this year? Give me the whole list.
14 list song Which songs have I learnt on the guitar so far?
15 list complaint List the ferry companies that complained about the new checkout.
16 list club Which after-school clubs has Ada tried?
17 list vet How often was the cat at the vet, and what was done each time?
18 list seen Which talks did I listen to at the conference in Utrecht?
19 list flag What feature flags have we turned on?
20 list lent Whom did we lend things to, and which?
21 order roofstart What did I do first about the leak in the ceiling: ring the insurer, take photos or get a quote?
22 order trade In what order did the tradesmen come for the kitchen?
23 order moved In which order did we move our services to Fly?
24 order scot In what order did we visit the stops of our Scotland trip?
25 order slug What did I try first against the slugs, and what after that?
26 order purchase What were the steps of buying the flat in Southville, from the offer to the keys?
27 order race List my races in chronological order.
28 order leaktry In what sequence did we try things against the memory leak?
29 order rollout How did the rollout of Hop On go, percent by percent, from the first day to the last?
30 order car Which came first on the Polo, the tyres, the brakes, the battery or the clutch?
31 order symptom In what order did Olive's symptoms appear?
32 order badge In which order did Ada get her swimming badges?
33 order launch How did the launch date of the checkout change over time?
34 order painted In what order did we paint the rooms?
35 order bread How did my sourdough loaves turn out, from the first to the latest?
36 order treatment Which treatments did I go through for my shoulder, one after the other?
37 order pryce What came first with Mr Pryce: the chat, the diary or the letter from the council?
38 order onboarding What did Femi do in her first weeks, step by step?
39 order outagecause What broke first this spring: Redis, the certificate or the migration?
40 order productname Which names did we consider for the checkout, in the order they came up?
41 summary roof Summarise what we did about the leaking roof.
42 summary kitchen Give me a summary of the kitchen renovation.
43 summary heroku Sum up our move away from Heroku.
44 summary leak Write a short summary of the hunt for the memory leak.
45 summary cat Summarise Olive's illness from the beginning until now.
46 summary mum Give me an overview of Mum's purchase and move to Southville.
47 summary training How did my training for the half marathon go overall?
48 summary trip Summarise our Scotland holiday, planning included.
49 summary noise Recap the whole story with Mr Pryce and his drums.
50 summary hiring Summarise how we found our new backend developer.
51 summary garden What happened in the garden this season? Sum it up for me.
52 summary shoulder Give me the history of my shoulder pain.
53 summary checkout Summarise the rollout of the new checkout, with its problems.
54 summary car Recap all the trouble with the car and what it cost.
55 summary sofa Tell me the whole story of the sofa.
56 summary party Summarise Ada's birthday party from the plan to the day itself.
57 summary conference Sum up how I prepared and gave the conference talk.
58 summary reading Give me an overview of Ada's reading problem and how it got better.
59 summary energy Summarise our change of electricity supplier.
60 summary phish What happened with the phishing mail, start to finish?
61 nothing - List every yacht we chartered.
62 nothing - How many times did I ride an elephant?
63 nothing - Which violins did I restore?
64 nothing - Name all the astronauts that we met.
65 nothing - What did I knit first, the scarf or the mittens?
66 nothing - In what order did I climb the volcanoes of Java?
67 nothing - In which sequence did the orchestra rehearse the symphonies?
68 nothing - List my bobsleigh medals of Reykjavik chronologically.
69 nothing - Summarise what we did about the beehives.
70 nothing - Give me an overview of our lawsuit against the airline.
71 nothing - Sum up the excavation of the Roman villa.
72 nothing - Recap the negotiations with the Brazilian embassy.
`
