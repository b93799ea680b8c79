//! How tables and arrays are said in JSON; needs a Python with numpy and pandas.

use serde_json::{Value, json};

use crate::trial::{Trial, attack, in_each_mode, python};

fn value(code: &str, expected: Value) -> Trial {
    python(&format!("import numpy as np\nimport pandas as pd\n{code}\n"))
        .with_data_packages()
        .limit("memory", 1 << 30)
        .returns(expected)
}

attack!(
    a_table_is_a_list_of_rows,
    value(
        "pd.DataFrame({'a': [1, 2], 'b': ['x', None], 'c': [1.5, float('nan')]})",
        json!([{ "a": 1, "b": "x", "c": 1.5 }, { "a": 2, "b": null, "c": null }])
    )
);
attack!(
    an_index_with_meaning_becomes_a_column,
    value(
        "pd.DataFrame({'v': [1, 2, 3], 'k': ['x', 'y', 'x']}).groupby('k').sum()",
        json!([{ "k": "x", "v": 4 }, { "k": "y", "v": 2 }])
    )
);
attack!(
    several_indexes_become_columns,
    value(
        "pd.DataFrame({'v': [1, 2], 'k': ['x', 'y'], 'l': [1, 2]}).set_index(['k', 'l'])",
        json!([{ "k": "x", "l": 1, "v": 1 }, { "k": "y", "l": 2, "v": 2 }])
    )
);
attack!(an_empty_table_is_an_empty_list, value("pd.DataFrame({'a': []})", json!([])));
attack!(a_series_is_a_list, value("pd.Series([1, 2, None])", json!([1.0, 2.0, null])));
attack!(a_series_with_names_is_an_object, value("pd.Series({'x': 1, 'y': 2})", json!({ "x": 1, "y": 2 })));
attack!(
    numbers_of_numpy_are_numbers,
    value(
        "[np.int64(5), np.float32(0.5), np.bool_(True), np.float64('nan'), np.float64('inf'), np.uint64(2**64 - 1)]",
        json!([5, 0.5, true, null, "Infinity", u64::MAX])
    )
);
attack!(
    arrays_are_lists,
    value(
        "{'flat': np.arange(3), 'square': np.eye(2), 'flags': np.array([True]), 'text': np.array(['a']), 'none': np.array(5)}",
        json!({ "flat": [0, 1, 2], "square": [[1.0, 0.0], [0.0, 1.0]], "flags": [true], "text": ["a"], "none": 5 })
    )
);
attack!(
    moments_of_pandas_are_iso_8601,
    value(
        "[pd.Timestamp('2026-01-02 03:04'), pd.NaT, pd.NA, pd.Timedelta(seconds=90), np.datetime64('2026-01-02'), np.timedelta64(2, 's')]",
        json!(["2026-01-02T03:04:00", null, null, 90.0, "2026-01-02", 2.0])
    )
);
attack!(
    a_column_of_moments_is_iso_8601,
    value(
        "pd.DataFrame({'on': pd.to_datetime(['2026-01-02', None]), 'kind': pd.Categorical(['a', 'b'])})",
        json!([{ "on": "2026-01-02T00:00:00", "kind": "a" }, { "on": null, "kind": "b" }])
    )
);

in_each_mode!(a_seed_repeats_random_numbers_of_numpy, |driver| {
    let draw = |seed: Option<u64>| {
        let code = "import numpy as np\ndef f():\n    return [np.random.rand(), float(np.random.default_rng().random())]\n";
        let trial = python(code).function("f", json!({})).with_data_packages().limit("memory", 1 << 30);
        let trial = match seed {
            Some(seed) => trial.seed(seed),
            None => trial,
        };
        trial.run_on(driver).map(|answer| answer.returned()[0].clone())
    };
    assert_eq!(draw(Some(7)), draw(Some(7)));
    if driver.has_data_python {
        assert_ne!(draw(None), draw(None), "a fork starts its own");
    }
});

attack!(
    a_table_from_a_file_is_grouped,
    value(
        "pd.read_csv('sales.csv').groupby('region', as_index=False).amount.sum()",
        json!([{ "region": "north", "amount": 4 }, { "region": "south", "amount": 2 }])
    )
    .input("sales.csv", "region,amount\nnorth,1\nsouth,2\nnorth,3\n")
);

attack!(
    arrays_fill_memory,
    python("import numpy as np\ndef f():\n    return len([np.ones(1 << 20) for _ in range(1000)])\n")
        .with_data_packages()
        .function("f", json!({}))
        .limit("memory", 256 << 20)
        .ended_by("memory_limit")
);
