// Gets its parameters by name. What it returns is the result; what it logs is only shown.
export function main(amount, rate, times) {
  for (let n = 0; n < times; n += 1) {
    amount += amount * rate;
  }
  return Math.round(amount * 100) / 100;
}
