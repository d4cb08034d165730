import type { FigureSource, RunFigures } from "./figures.ts";

/**
 * ZeroEval GSM: 14 models on the 1,319 questions of the GSM8K test set, greedy decoding, one trial each; one
 * model ran the first 681 questions only. Figures only: answered or not, correct or not.
 *
 * Source: github.com/WildEval/ZeroEval, commit 8c1485edf12c6efb5f69135a562927c5ad484059,
 * result_dirs/gsm/<model>.json, scored with the repository's own extraction of answers. Apache License 2.0,
 * the authors of ZeroEval.
 */
export const zeroEvalGsm = {
  project: "demo/zeroeval-gsm",
  name: "zeroeval-gsm",
  source: {
    title: "ZeroEval GSM",
    repository: "https://github.com/WildEval/ZeroEval",
    commit: "8c1485edf12c6efb5f69135a562927c5ad484059",
    files: "result_dirs/gsm/<model>.json",
    published: "result_dirs/gsm.summary.json",
    licence: "Apache-2.0",
    attribution: "The authors of ZeroEval",
  } satisfies FigureSource,
};

export const zeroEvalGsmRuns: readonly RunFigures[] = [
  {
    model: "claude-3-5-sonnet-20241022",
    rows: 1319,
    correct: `
//////v///////r////+//////////3v//+////////////////f////9////3/3///t//7////9/////////+/+////f/////3/////////t///7/
//////////+///f/3/9//9/v3v//f///////////////9/3////////2///c1//////////////////7/////8//////////////////v+`,
    unanswered: [],
    published: { accuracy: 96.66, noAnswer: 0 },
  },
  {
    model: "gpt-4o-2024-08-06",
    rows: 1319,
    correct: `
//f///////////7////e//////////3v////////v/b////////f//////+//3/3/9/t/////v/9/9///////+/+////f/////3/////////t///7/
//////////+x//f/3/9//9/v/v//////9////f///v//9/3///ff///z///99/7////////////////7////////////////////////v+`,
    unanswered: [],
    published: { accuracy: 96.21, noAnswer: 0 },
  },
  {
    model: "o1-mini-2024-09-12",
    rows: 1319,
    correct: `
//f////////////////+//////7////v////////+/7////////f////9/+//3/3///t//7v///9//////////////////////3/////////t///7/
//////////+x//f/3////9/r3v///f///////f//3///5/3///f////6//7d1//3//33///////////6//////7/////////////////v+`,
    unanswered: [],
    published: { accuracy: 96.06, noAnswer: 0 },
  },
  {
    model: "Llama-3.1-405B-Instruct-Turbo",
    rows: 1319,
    correct: `
//////v/////f//////+///////f///////////3///////////f////9////3/3///t/v7////9/////////+/+////f///9/3/////////t///b/
/////f////+9//f/X///+9/v/v//3//////////////v593///f////2///91////3//+//////////7//fv/9//////////////9///n+`,
    unanswered: [780],
    published: { accuracy: 95.91, noAnswer: 0.08 },
  },
  {
    model: "gemini-1.5-flash-exp-0827",
    rows: 681,
    correct: `
//f///v///3///6////+//7////////v///////3////7/////vf//////8//3/3///sv/7////9/3////2//+//7+/7//////3//+/3////v///74
A=`,
    unanswered: [],
    published: { accuracy: 95.01, noAnswer: 0 },
  },
  {
    model: "gpt-4o-mini-2024-07-18",
    rows: 1319,
    correct: `
3/P///v///3/7/6////+///////////v///////f+/b/7////9///9////9//3/3///tv/7z///9/+///////+//////////3+3//+////+/v///7/
//////////+x//f/X/9f+9/v/r//f///9///Pf//////4/3/9/f////7///91/7//v/////////////7/9/+3+/3//7/////////9///v+`,
    unanswered: [],
    published: { accuracy: 94.24, noAnswer: 0 },
  },
  {
    model: "Athene-70B",
    rows: 1319,
    correct: `
38N///rt/9/9//q//9/+//7v/vvb//1///+/7+/3v7//f3///8/tv//f8//bn333///pv/T//u/99/7///23l///////////X92/7//9/v8/v/3/bb
7d+///+/9/uV//f/X/9381/v3vf/7f//N//fvdt//vfb0/T7t/X/O99235/9xd77////1///3/v////71v6q9t/////v//v/7/7/9/z/ne`,
    unanswered: [443, 808, 945, 963],
    published: { accuracy: 86.66, noAnswer: 0.3 },
  },
  {
    model: "Meta-Llama-3.1-8B-Instruct",
    rows: 1319,
    correct: `
2nf7/vv1//397/6//+/+3/////vb//5v+7vb/5/v//f/7n///9rF99v/9/07/m93/39s3/3n/r/9/+/6/nn/3e/nLOvv///ed3m/3u//+/+/v3//b/
7+/+r//7n/+xv/f+H9993w/q3r/v////3b7fvfd+3/9P9f3//Pfb7993v5791/b//r/X//9f/fs7fvv337/O2/7/6/zvf+u9+v///7//ve`,
    unanswered: [8, 213, 357, 979, 1258],
    published: { accuracy: 84, noAnswer: 0.38 },
  },
  {
    model: "Phi-3.5-mini-instruct",
    rows: 1319,
    correct: `
92bzf//13b3f3/a//f/+e/3/75nb7v3Ov/u9///3/9/n599/f9vt//f////7/j/33//pv/zn/ufd///vvz239f/3H+/ffn/fP/i/6kP99u6/t/b/7/
77//3/5f/3+7+rX6X99+2U/uzvf///2//f7XPf9+83fH4/yf/vX7u/9z/4/dF/7/8r/z3//+jfv7ev/b3/9nX+//7f7vu+7/7//ff/+7m+`,
    unanswered: [57, 84, 182, 357, 367, 443, 591, 660, 693, 780, 866, 869, 929, 979, 1045, 1190],
    published: { accuracy: 82.03, noAnswer: 1.21 },
  },
  {
    model: "gpt-3.5-turbo-0125",
    rows: 1319,
    correct: `
3mNn2//3//Xf9f7/m//+077+76vf+/nf+fuJ/8/X+9Tv59//+97tn1fb87+K/mf2//3sv+zn/u/Z///v//m3Pf//Sfvf/v3ftnm9rE/3//+/86f/b/
6n/P//6/33+7v/Peb9993x/r7rfPy////f/7vbNe///j99C/tvfur99T///9t///1+1fX+v89dv7+P/r3de+X/+3//7/93/9uv//9/39t6`,
    unanswered: [],
    published: { accuracy: 80.36, noAnswer: 0 },
  },
  {
    model: "reka-flash-20240226",
    rows: 1319,
    correct: `
2nfr//jt673/x973yff0l/7uzZvb/7l7+/uNb//X+/b3737/24rt3/ff8/k6/z/3fp/tHi7jnu1Zf+////0nse/+BO/f+t3Tfnm/vU/f/74fJvffb6
6H/d7//+l/+1//f+L999/l/uzrcv7f//tb/evff0XnfPc/pftvfrLv5z3579h/f/zrx3X3vfzXs6fvvpktfOV+yX63tu9+7/9763918pme`,
    unanswered: [162, 419, 433, 790, 943, 1169],
    published: { accuracy: 74.68, noAnswer: 0.45 },
  },
  {
    model: "Mixtral-8x7B-Instruct-v0.1",
    rows: 1319,
    correct: `
3mPj3ejt96W/x/i3yc9+27/a55uO9L0HveuF/8/Xk/bvz/7+e8jt78/72v+yvn/2e83s6nSj/u/d/ndu/+nnne5uWvtPNvbfPP3/pEt36/63B1//b+
+b2ur9k7/98B/rd+T089wwbqzjffxf3v35/bPf/+9vZP0Fyf5P+fKv5zm779F/b3XK3zP3vDlXO6cvv7j5cu3s+7K/7/e6q9zqr/d//72e`,
    unanswered: [
      2, 12, 35, 43, 59, 75, 129, 212, 266, 302, 303, 380, 552, 567, 582, 611, 629, 651, 813, 816, 819, 836,
      871, 897, 954, 997, 1093, 1139, 1195, 1314,
    ],
    published: { accuracy: 70.13, noAnswer: 2.27 },
  },
  {
    model: "command-r",
    rows: 1319,
    correct: `
1nKmRrauedWTh/SgwcTM05uadIpe/jhdWOuDj+/WUZQnj/TU0pqpj1FLQf/ylC2wXEfBDjzlngvR62dr+qlmUU3gROtf12DdVkkoLW78z686IYZfCs
4t+EoXNDYV6RGrc+Ch99xR3qSpMdbWWNmbr6e3d8FiZLRFw8dr8D6ZsQmdjPhz+Q2KdBt8Ls1WgxEexDkLaKSx23q2v7KzMv5Bt/Q7hvua`,
    unanswered: [],
    published: { accuracy: 52.99, noAnswer: 0 },
  },
  {
    model: "gemma-2-2b-it",
    rows: 1319,
    correct: `
2nKD86jhyfS9pVixAN9swzTeNan24mzGuLmVbN9XgtYnR4/Wc8rllk194Lwbpj2mOQHEsuwD0suRW1ZB/7mXAf9oRcrZdubFECG+rgbgW/snJC3rSi
6ta8heE199qxiuV6Rht8iAumToI+BeXTGDrbK79S1nXNgtcqfPeDJxtGGArshFb52hbilurPVRMycK3KlhcCEu32A+3sIwN84bOHU90Jhe`,
    unanswered: [351, 367, 855, 1047, 1144],
    published: { accuracy: 51.63, noAnswer: 0.38 },
  },
];
