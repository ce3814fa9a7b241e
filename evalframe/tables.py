"""Columns, order and dtypes of every result: the one place that lists them.

A column is written with its kind: `(l)` the user's own label, `(i)` int64, `(I)` a count that may
not exist, `(s)` text, `(b)` bool, and nothing for float64. Keys come first, then estimates, sizes,
how it was made, and a note.
"""

from typing import Any, Literal

import numpy as np

Kind = Literal["label", "float", "int", "count", "str", "bool"]

DTYPE: dict[Kind, Any] = {
    "float": np.float64,
    "int": np.int64,
    "count": "Int64",
    "str": str,
    "bool": np.bool_,
}

_MARKS: dict[str, Kind] = {
    "": "float",
    "l)": "label",
    "i)": "int",
    "I)": "count",
    "s)": "str",
    "b)": "bool",
}


def _kinds(columns: str) -> dict[str, Kind]:
    """Read a list of columns with their kinds."""
    pairs = (column.partition("(") for column in columns.split())
    return {name: _MARKS[mark] for name, _, mark in pairs}


TABLES: dict[str, dict[str, Kind]] = {
    "score": _kinds(
        """
        arm(l) metric(s) estimate se conf_low conf_high n_items(i) n_responses(i) n_missing(i)
        n_items_missing(i) n_clusters(I) design_effect df level interval(s) clustered(b)
        note(s)
        """
    ),
    "compare": _kinds(
        """
        arm(l) baseline(l) metric(s) baseline_mean arm_mean diff diff_rel se conf_low
        conf_high mde mcnemar_p baseline_only(I) arm_only(I) n_items(i) n_dropped(i)
        n_clusters(I) df level interval(s) clustered(b) significant(b) small_n(b) note(s)
        """
    ),
    "mcnemar": _kinds(
        """
        arm(l) baseline(l) metric(s) both_right(i) baseline_only(i) arm_only(i) both_wrong(i)
        odds_ratio statistic p_value p_adjusted n_items(i) n_dropped(i) method(s) note(s)
        """
    ),
    "bootstrap": _kinds(
        """
        arm(l) baseline(l) metric(s) statistic(s) estimate bias se conf_low conf_high n_units(i)
        n_failed(i) n_boot(I) unit(s) method(s) level note(s)
        """
    ),
    "permutation": _kinds(
        """
        arm(l) baseline(l) metric(s) diff p_value n_units(i) n_dropped(i) n_perm(I) unit(s)
        method(s) alternative(s) note(s)
        """
    ),
    "voice": _kinds(
        """
        arm(l) reference(l) scope(s) group(s) metric(s) distance tail conf_low conf_high
        self_tail self_low self_high n_items(i) n_dropped(i) n_train(i) n_calibration(i)
        size(I) level interval(s) note(s)
        """
    ),
    # What voice(..., replicates=True) returns: a row a row of voice and item left out.
    "voice_replicates": _kinds(
        """
        arm(l) reference(l) scope(s) group(s) metric(s) item_id(l) tail
        """
    ),
    "metrics": _kinds(
        """
        group(s) metric(s) default(b) language(s) formula(s) source(s) range(s) short_texts(s)
        """
    ),
    "overview": _kinds(
        """
        arm(l) n_items(i) n_responses(i) seeds_min(i) seeds_max(i) n_clusters(I) n_missing(i)
        n_items_absent(i) mean
        """
    ),
    "check": _kinds(
        """
        severity(s) column(s) fault(s) count(i) first(s) remedy(s)
        """
    ),
    "icc": _kinds(
        """
        arm(l) baseline(l) metric(s) icc icc_raw design_effect cluster_size n_items(i)
        n_dropped(i) n_clusters(I) note(s)
        """
    ),
    # A row an arm and a number of runs per item.
    "variance": _kinds(
        """
        arm(l) metric(s) design(s) seeds estimate se var_cluster var_item var_seed
        share_cluster share_item share_seed var_cluster_raw var_item_raw n_items(i)
        n_responses(I) n_repeated(i) n_dropped(i) n_clusters(I) clustered(b) note(s)
        """
    ),
    # Of power, mde and sample_size.
    "plan": _kinds(
        """
        arm(l) baseline(l) metric(s) effect mde power se sd_diff design_effect icc n_items(I)
        n_clusters(I) n_effective seeds cluster_size alpha paired(b) note(s)
        """
    ),
    "contrasts": _kinds(
        """
        arm(l) baseline(l) metric(s) diff se conf_low conf_high sim_low sim_high statistic
        p_value p_adjusted n_items(i) n_dropped(i) n_clusters(I) n_tests(i) df sim_quantile
        level adjust(s) simultaneous(s) paired(b) clustered(b) note(s)
        """
    ),
    # Every two arms; the later label is the arm.
    "pairs": _kinds(
        """
        arm(l) baseline(l) metric(s) diff se conf_low conf_high sim_low sim_high statistic
        p_value p_adjusted wins(i) ties(i) losses(i) n_items(i) n_dropped(i) n_clusters(I)
        n_tests(i) df sim_quantile level adjust(s) clustered(b) note(s)
        """
    ),
    "rank": _kinds(
        """
        arm(l) metric(s) rank(I) rank_low(I) rank_high(I) share_top share_first best(b) estimate se
        conf_low conf_high n_items(i) n_dropped(i) n_clusters(I) n_boot(i) df level method(s)
        higher_better(b) clustered(b) note(s)
        """
    ),
    "pooled": _kinds(
        """
        arm(l) baseline(l) metric(s) weighting(s) estimate se conf_low conf_high p_value
        q_statistic q_df q_p_value i_squared n_groups(i) n_items(i) n_dropped(i) n_clusters(I)
        df level clustered(b) note(s)
        """
    ),
    "adjusted": _kinds(
        """
        arm(l) reference(l) metric(s) estimate se conf_low conf_high estimate_raw se_raw theta
        correlation reference_mean reference_estimate variance_reduction n_items(i)
        n_dropped(i) n_clusters(I) n_effective df level clustered(b) note(s)
        """
    ),
    "debias": _kinds(
        """
        arm(l) baseline(l) metric(s) estimate se conf_low conf_high estimate_judge estimate_gold
        se_gold bias lambda correlation gain inflation n_items(i) n_labelled(i) n_unlabelled(i)
        n_effective n_dropped(i) n_conflicts(i) n_strata(I) n_clusters(I) df level interval(s)
        clip(b) paired(b) clustered(b) note(s)
        """
    ),
    "label_plan": _kinds(
        """
        arm(l) baseline(l) metric(s) n_labels(I) n_labels_without_judge(I) saving se half_width mde
        se_best lambda correlation sd_gold sd_judge icc_rest icc_judge n_items(I) cluster_size
        level power alpha clip(b) note(s)
        """
    ),
    # Of pass_at_k and pass_hat_k.
    "passes": _kinds(
        """
        arm(l) metric(s) k(i) estimate se conf_low conf_high n_items(i) n_responses(i)
        n_missing(i) n_short(i) n_clusters(I) df level clustered(b) note(s)
        """
    ),
    # A row a group and a statistic.
    "agreement": _kinds(
        """
        judge(s) gold(s) statistic(s) estimate se conf_low conf_high p_value n_items(i)
        n_responses(i) n_judge_missing(i) n_gold_missing(i) n_clusters(I) df level
        interval(s) clustered(b) note(s)
        """
    ),
    "judge_bias": _kinds(
        """
        statistic(s) estimate se conf_low conf_high p_value n_games(i) n_ties(i) n_missing(i)
        n_clusters(I) df level interval(s) clustered(b) note(s)
        """
    ),
    "krippendorff": _kinds(
        """
        scale(s) estimate se conf_low conf_high n_raters(i) n_categories(i) n_items(i)
        n_responses(i) n_ratings(i) n_unpaired(i) n_missing(i) n_clusters(I) df level
        clustered(b) note(s)
        """
    ),
    # A row an arm, from games against the others.
    "bradley_terry": _kinds(
        """
        arm(l) baseline(l) strength se conf_low conf_high elo elo_low elo_high diff diff_se
        diff_low diff_high p_value win_rate side side_se side_low side_high tie tie_se tie_low
        tie_high wins(i) ties(i) losses(i) n_games(i) n_missing(i) n_self(i) n_clusters(I) df
        level unit(s) errors(s) tie_rule(s) penalty(s) note(s)
        """
    ),
    "coverage": _kinds(
        """
        arm(l) metric(s) interval(s) coverage coverage_error too_low too_high width mean icc
        n_items(i) n_clusters(I) seeds n_sim(i) level clustered(b) note(s)
        """
    ),
    "exceeds_floor": _kinds(
        """
        arm(l) baseline(l) metric(s) diff floor_diff floor_se threshold exceeds(b)
        """
    ),
}

# What compare(..., margin=) adds, before the note.
MARGIN: dict[str, Kind] = _kinds(
    """
    margin p_not_worse p_not_better better(b) worse(b) equivalent(b) not_worse(b)
    not_better(b) verdict(s)
    """
)

# What compare(..., floor=) adds, before the note.
FLOOR: dict[str, Kind] = _kinds("floor_diff floor_se threshold exceeds(b)")
