// Questions that mean what the answer says and share no word with it: synonyms, hypernyms, another way to say it. A line is a number,
// the word that marks the answer (`@word` in the talks, facts and traces), and the question. Odd numbers are fitted, even ones held
// out: the rule was fixed before anything was measured.
export const synonymLines = `
1 manager Who is my manager now?
2 permit When does the parking permit expire?
3 car Which car did we buy?
4 movie During which movie did my husband fall asleep?
5 rent How much rent do we pay for the apartment?
6 paid Has the plumber's invoice been paid?
7 allergy What is my daughter allergic to?
8 sick Which food makes me sick?
9 doctor What did the doctor say about my blood pressure?
10 key Where is the spare key for the house?
11 earn How much do I earn?
12 wedding When did we get married?
13 vet Which vet treated the dog?
14 appliance Which appliance is broken?
15 hair Who cuts my hair?
16 commute How do I commute to the office?
17 sport Which sport does my son play?
18 instrument What instrument does my daughter learn?
19 operation When is my mother's operation?
20 evening Which drink should I avoid in the evening?
21 present What gift did I buy for my husband?
22 luggage Where is our luggage stored?
23 builder How much does the builder ask for the wall?
24 minder Who is our childminder?
25 dogmedicine What medicine does the dog take?
26 paint What colour did we paint the bedroom?
27 garbage When is the garbage collected?
28 smoking When did I quit smoking?
29 neighbour What is the surname of our neighbours?
30 stolen What did the thief take?
31 down Why was the website down?
32 shipments Why did shipments disappear?
33 deploy How do we deploy a new version?
34 credentials Where are the credentials stored?
35 language Which programming language is the backend written in?
36 review Who reviews my pull requests?
37 speed What made the app load faster?
38 cloud Why was the cloud bill so high?
39 database Which database do we use?
40 launch When is the launch of the product?
41 complain What did the customers complain about?
42 meeting Which meeting was cancelled?
43 backup How long are backups kept?
44 local How do I start the project on my laptop?
45 unreliable Which test is unreliable?
46 quit Who quits the team?
47 protect How do we protect passwords?
48 editor Which text editor do I prefer?
49 users How many people use our app?
50 designer Who is the designer of the team?
51 vacation Where do we spend our vacation?
52 subject Which subject does my son find difficult at school?
53 job What is my husband's job?
54 house How old is our house?
55 injury How did I get hurt?
56 train When does my train leave?
57 wifi What is the wifi password at home?
58 heating Who fixed the heating?
59 insomnia Do I suffer from insomnia?
60 groceries Where is shopping for food cheapest?
61 - Which opera singer owns a vineyard?
62 - What did the glaciologist measure in Patagonia?
63 - Who sailed our catamaran to Madeira?
64 - When was the mosque restored?
65 - How heavy is the anvil of the blacksmith?
66 - Which mushrooms grow under larches?
67 - What does the quantum annealer simulate?
68 - Who inherited the chandelier?
69 - How do I tune a harpsichord?
70 - Why did the Byzantine emperor abdicate?
71 - When do hedgehogs hibernate?
72 - Where did the submarine surface?
`
